"""Where the parts of a document begin and end in its text, and which of them are shared.

Marks of block collections end at the next token, behind comments that belong to what follows; so
ends are found from the last leaf and the lines after it.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from transom.yamlio.document import Document
from transom.yamlio.editing.change import ObjectPath
from transom.yamlio.node import is_merge, merged_mappings
from transom.yamlio.scalar import UnreadableScalar
from transom.yamlio.tree import name_of_key

_COLON = re.compile(r"\s*:")
_ALIAS = re.compile(r"\s*:\s*\*[^\s,\[\]{}]+")
_IDLE_LINE = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n?")


class CannotEdit(Exception):  # noqa: N818 - an answer with a reason, not a failure of the program
    """A place that is not changed, and why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Splice(NamedTuple):
    """A piece of text in the place of another."""

    start: int
    end: int
    text: str


class Entry(NamedTuple):
    """A key of a mapping, by number, with its nodes."""

    owner: MappingNode
    number: int
    key: Node
    value: Node


class Layout:
    """The text of a document with its node tree."""

    def __init__(self, document: Document) -> None:
        self.source = document.source.decode()
        self.root = document.tree
        self._first_line = document.first_line
        self.newline = "\r\n" if "\r\n" in self.source else "\n"
        self._shared = (
            _shared_nodes(self.root) if "&" in self.source and "*" in self.source else frozenset()
        )

    def is_shared(self, node: Node) -> bool:
        """Whether aliases lead to the node."""
        return id(node) in self._shared

    def find(self, path: ObjectPath) -> Node | None:
        """The node at a path, or None; raise CannotEdit where it is written for several places."""
        node: Node | None = self.root
        for step in path:
            assert node is not None
            self.own(node)
            if isinstance(step, int):
                items = node.value if isinstance(node, SequenceNode) else ()
                node = items[step] if step < len(items) else None
            else:
                entry = self.entry(node, step)
                node = entry.value if entry is not None else None
            if node is None:
                return None
        return node

    def entry(self, node: Node, name: str) -> Entry | None:
        """The key of that name in a mapping; raise CannotEdit where it comes through `<<`."""
        if not isinstance(node, MappingNode):
            return None
        for number, (key, value) in enumerate(node.value):
            if is_merge(key):
                if any(_has_key(mapping, name) for mapping in merged_mappings(key, value)):
                    raise CannotEdit(f"`<<` on line {self.line_of(key)} brings `{name}`")
            elif _is_named(key, name):
                return Entry(node, number, key, value)
        return None

    def own(self, node: Node) -> None:
        """Raise CannotEdit where a change of the node would change other places too."""
        if self.is_shared(node):
            line = self.line_of(node)
            raise CannotEdit(f"it is written once, on line {line}, for several places by an anchor")

    def line_of(self, node: Node) -> int:
        """The line of the file on which a node begins."""
        return self._first_line + int(node.start_mark.line)

    def line_begin(self, index: int) -> int:
        """Where the line of a character begins."""
        return self.source.rfind("\n", 0, index) + 1

    def next_line(self, index: int) -> int:
        """Where the line after that of a character begins."""
        end = self.source.find("\n", index)
        return len(self.source) if end < 0 else end + 1

    def is_idle(self, start: int, end: int) -> bool:
        """Whether the text between is blank or one comment."""
        return _IDLE_LINE.fullmatch(self.source, start, end) is not None

    def after_colon(self, key: Node) -> int:
        """Where the colon of a key ends."""
        colon = _COLON.match(self.source, key.end_mark.index)
        if colon is None:
            raise CannotEdit("the key has no colon")
        return colon.end()

    def value_end(self, key: Node, value: Node) -> int:
        """Where the last character of a key's value stands, comments and blank lines left out."""
        if _is_alias(value, key):
            alias = _ALIAS.match(self.source, key.end_mark.index)
            if alias is None:
                raise CannotEdit("its value is an alias that cannot be found in the text")
            return alias.end()
        return max(_last_leaf(value), key.end_mark.index)

    def entry_end(self, owner: MappingNode, number: int) -> int:
        """Where the lines of a key in a block mapping end; comments behind them stay out."""
        key, value = owner.value[number]
        following = owner.value[number + 1][0] if number + 1 < len(owner.value) else None
        limit = following.start_mark.index if following is not None else owner.end_mark.index
        return self.lines_end(self.value_end(key, value), limit)

    def item_end(self, owner: SequenceNode, number: int) -> int:
        """The same for an item of a block list."""
        following = owner.value[number + 1] if number + 1 < len(owner.value) else None
        limit = following.start_mark.index if following is not None else owner.end_mark.index
        item = owner.value[number]
        begin = owner.start_mark.index
        leaf = _last_leaf(item) if item.start_mark.index >= begin else begin
        return self.lines_end(leaf, limit)

    def lines_end(self, leaf: int, limit: int) -> int:
        """Where the lines of something end whose last leaf ends here and that ends before `limit`.

        An alias as the last leaf has no mark of its own; its line is neither blank nor a comment.
        """
        # A block scalar ends at the begin of a line.
        end = leaf if leaf and leaf == self.line_begin(leaf) else self.next_line(leaf)
        stop = limit if limit == len(self.source) else self.line_begin(limit)
        position = end
        while position < stop:
            following = self.next_line(position)
            if not self.is_idle(position, following):
                end = following
            position = following
        return end


def _is_alias(value: Node, key: Node) -> bool:
    return bool(value.start_mark.index < key.start_mark.index)


def _last_leaf(node: Node) -> int:
    if not isinstance(node, CollectionNode) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    begin = node.start_mark.index
    if isinstance(node, MappingNode):
        key, value = node.value[-1]
        return _last_leaf(value) if value.start_mark.index >= begin else int(key.end_mark.index)
    written = [child for child in node.value if child.start_mark.index >= begin]
    return _last_leaf(written[-1]) if written else int(begin)


def _is_named(key: Node, name: str) -> bool:
    try:
        return isinstance(key, ScalarNode) and name_of_key(key) == name
    except UnreadableScalar:
        return False


def _has_key(mapping: MappingNode, name: str) -> bool:
    for key, value in mapping.value:
        if is_merge(key):
            if any(_has_key(below, name) for below in merged_mappings(key, value)):
                return True
        elif _is_named(key, name):
            return True
    return False


def _children(node: Node) -> Iterator[Node]:
    if isinstance(node, SequenceNode):
        yield from node.value
    elif isinstance(node, MappingNode):
        for entry in node.value:
            yield from entry


def _shared_nodes(root: Node) -> frozenset[int]:
    seen: set[int] = set()
    shared: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            shared.add(id(node))
            continue
        seen.add(id(node))
        waiting += _children(node)
    return frozenset(shared)


def nodes_below(node: Node) -> Iterator[Node]:
    """A node and every node below it, each once."""
    seen: set[int] = set()
    waiting = [node]
    while waiting:
        found = waiting.pop()
        if id(found) not in seen:
            seen.add(id(found))
            yield found
            waiting += _children(found)
