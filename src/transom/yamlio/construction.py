"""From a node tree to plain values, twice: a quick reading, and a careful one for the unusual.

The quick reading knows plain and quoted scalars and gives up at the first tag, `<<`, repeated key
or unreadable scalar; the careful one then reads the document again and finds every mistake. Both
give equal values where both give one.
"""

from typing import Any, NamedTuple

from yaml.error import Mark
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from transom.model.problem import Mistake
from transom.yamlio.node import PLAIN, QUOTED, UNTAGGED, RefusedNode, is_merge, merged_mappings
from transom.yamlio.scalar import (
    HINTS,
    MAP_TAG,
    SEQ_TAG,
    Scalar,
    UnreadableScalar,
    read_plain,
    read_plain_key,
    read_tagged,
    short_tag,
    type_of_key,
)
from transom.yamlio.tree import name_of_key
from transom.yamlio.unusual import UnusualError

_COLLECTION_TAGS: dict[type[Node], str] = {
    MappingNode: MAP_TAG,
    SequenceNode: SEQ_TAG,
}


def construct(root: Node, *, name: str, first_line: int) -> tuple[Any, list[Mistake]]:
    """Give a document's value, or every mistake in it."""
    try:
        return _read(root), []
    except (UnusualError, UnreadableScalar):
        careful = _CarefulConstruction(name, first_line)
        return careful.value(root, ""), list(careful.mistakes.values())


def _read(node: Node) -> Any:
    tag = node.tag
    if tag is PLAIN:
        return read_plain(node.value)
    if tag is QUOTED:
        return node.value
    if tag is not UNTAGGED:
        raise UnusualError
    if type(node) is SequenceNode:
        return [_read(child) for child in node.value]
    return _read_mapping(node)


def _read_mapping(node: Node) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key_node, value_node in node.value:
        tag = key_node.tag
        if tag is PLAIN:
            key = read_plain_key(key_node.value)
            if key == "<<":
                raise UnusualError
        elif tag is QUOTED:
            key = key_node.value
        else:
            raise UnusualError
        if key in out:
            raise UnusualError
        tag = value_node.tag
        # Most values are these two, and a call costs more than the reading.
        if tag is PLAIN and value_node.value[:1] not in HINTS:
            out[key] = value_node.value or None
        elif tag is QUOTED:
            out[key] = value_node.value
        else:
            out[key] = _read(value_node)
    return out


class _Entry(NamedTuple):
    """A key of a mapping as far as it was read: where it stands, its type, and if `<<` brought it."""

    node: Node
    kind: type
    is_merged: bool


class _CarefulConstruction:
    """Reads everything that Kubernetes reads, and notes every mistake with its place."""

    def __init__(self, name: str, first_line: int) -> None:
        self.name = name
        self.first_line = first_line
        self.mistakes: dict[tuple[str, int], Mistake] = {}

    def value(self, node: Node, path: str) -> Any:
        if isinstance(node, ScalarNode):
            return self._scalar(node, path)
        if node.tag is not UNTAGGED and node.tag != _COLLECTION_TAGS[type(node)]:
            self._note(
                f"the tag {short_tag(node.tag)} is unknown to Kubernetes here",
                "Remove the tag.",
                node.start_mark,
                path,
            )
        if isinstance(node, SequenceNode):
            return [self.value(item, f"{path}[{index}]") for index, item in enumerate(node.value)]
        assert isinstance(node, MappingNode)
        return self._mapping(node, path)[0]

    def _scalar(self, node: ScalarNode, path: str) -> Scalar:
        try:
            if node.tag is PLAIN:
                return read_plain(node.value)
            return str(node.value) if node.tag is QUOTED else read_tagged(node.value, node.tag)
        except UnreadableScalar as problem:
            self._note(problem.message, problem.hint, node.start_mark, path)
            return None

    def _mapping(self, node: MappingNode, path: str) -> tuple[dict[str, Any], dict[str, _Entry]]:
        out: dict[str, Any] = {}
        entries: dict[str, _Entry] = {}
        for key_node, value_node in node.value:
            if is_merge(key_node):
                self._merge(key_node, value_node, out=out, entries=entries, path=path)
                continue
            key = self._key(key_node, path)
            below = f"{path}.{key}" if path else key or ""
            value = self.value(value_node, below)
            if key is None:
                continue
            entry = _Entry(key_node, _type_of_key(key_node), is_merged=False)
            if self._may_set(key, entry, entries=entries, path=below):
                out[key] = value
                entries[key] = entry
        return out, entries

    def _merge(
        self,
        key: Node,
        value: Node,
        *,
        out: dict[str, Any],
        entries: dict[str, _Entry],
        path: str,
    ) -> None:
        try:
            mappings = merged_mappings(key, value)
        except RefusedNode as problem:
            self._note(problem.message, problem.hint, problem.mark, path)
            return
        for mapping in reversed(mappings):
            merged, merged_entries = self._mapping(mapping, path)
            for name, entry in merged_entries.items():
                brought = _Entry(key, entry.kind, is_merged=True)
                if self._may_set(name, brought, entries=entries, path=path):
                    out[name] = merged[name]
                    entries[name] = brought

    def _may_set(self, key: str, entry: _Entry, *, entries: dict[str, _Entry], path: str) -> bool:
        """Tell whether a key is new, or openly takes the place of one that `<<` brought."""
        earlier = entries.get(key)
        if earlier is None or (earlier.is_merged and earlier.kind is entry.kind):
            return True
        if entry.is_merged and earlier.kind is entry.kind:
            message = f"`<<` replaces the key `{key}`"
            hint = "Put `<<` first: Kubernetes lets what comes last win."
        else:
            message = f"the key `{key}` is repeated"
            hint = "Remove one of them: strict decoding refuses this, and else the last one wins."
        mark = earlier.node.start_mark
        first = f"first set on line {self.first_line + mark.line}, column {mark.column + 1}"
        self._note(f"{message}, {first}", hint, entry.node.start_mark, path)
        return False

    def _key(self, node: Node, path: str) -> str | None:
        if not isinstance(node, ScalarNode):
            self._note(
                "a key must be a scalar, not a mapping or a list",
                "Quote the key; a template such as {{ name }} must be filled in first.",
                node.start_mark,
                path,
            )
            return None
        try:
            return name_of_key(node)
        except UnreadableScalar as problem:
            self._note(problem.message, problem.hint, node.start_mark, path)
            return None

    def _note(self, message: str, hint: str, mark: Mark, path: str) -> None:
        mistake = Mistake(
            message,
            path=path,
            line=self.first_line + mark.line,
            column=mark.column + 1,
            hint=hint,
            file=self.name,
        )
        # What an anchor names is read again at each alias, and is reported once.
        self.mistakes.setdefault((message, mark.index), mistake)


def _type_of_key(node: Node) -> type:
    return (
        str
        if node.tag is QUOTED
        else type_of_key(node.value, None if node.tag is PLAIN else node.tag)
    )
