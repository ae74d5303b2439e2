"""One document of a YAML stream: its plain value, and the place of everything in it.

Made by the loader; read by whatever judges a document and must say where. Most documents are
never asked for a place, so the node tree is kept or made only when one is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from transom.spec.node import PLAIN, QUOTED, compose, is_merge, merged_mappings
from transom.spec.scalar import read_plain_key, read_tagged_key

Path = Sequence[str | int]


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file; both numbers count from one, columns in characters."""

    line: int
    column: int


class Document:
    """A document's value, with places.

    `name` is the file's name for messages, `-` for standard input; `index` counts the documents
    of the stream from zero, those with nothing but comments left out; `start` is the byte of the
    stream's UTF-8 text where the document's own text begins. A value that came through an alias or
    `<<` has the place where it is written.
    """

    __slots__ = ("_root", "_text", "first_line", "index", "name", "start", "value")

    def __init__(
        self,
        value: Any,
        *,
        name: str,
        index: int,
        text: bytes,
        first_line: int,
        start: int = 0,
        root: Node | None = None,
    ) -> None:
        self.value = value
        self.name = name
        self.index = index
        self.start = start
        self._text = text
        self.first_line = first_line
        self._root = root

    @property
    def source(self) -> bytes:
        """The document's own text: UTF-8, without separators and byte order mark."""
        return self._text

    @property
    def tree(self) -> Node:
        """The node tree, whose marks count the characters of `source`."""
        if self._root is None:
            self._root = compose(self._text)
            assert self._root is not None
        return self._root

    def take_place_of(self, other: "Document") -> None:
        """Stand where another document of the same stream stood, whose text this one replaces."""
        self.index, self.start = other.index, other.start
        self.first_line = other.first_line

    def locate(self, path: Path, *, key: bool = False) -> Position:
        """Find the place of a value, or of its key; of the nearest ancestor if it is absent."""
        place = self.tree
        for key_node, value_node in self._walk(path):
            place = key_node if key and key_node is not None else value_node
        mark = place.start_mark
        return Position(self.first_line + mark.line, mark.column + 1)

    def text(self, path: Path) -> str | None:
        """Give a scalar's characters before they are read as a number or word, such as `1.30`.

        Quotes and escapes are already resolved. None where the path leads to no scalar.
        """
        node = self._find(path)
        return str(node.value) if isinstance(node, ScalarNode) else None

    def is_plain(self, path: Path) -> bool:
        """Tell whether the path leads to a scalar written without quotes."""
        node = self._find(path)
        return isinstance(node, ScalarNode) and not node.style

    def _find(self, path: Path) -> Node | None:
        steps = self._walk(path)
        if len(steps) < len(path):
            return None
        return steps[-1][1] if steps else self.tree

    def _walk(self, path: Path) -> list[tuple[Node | None, Node]]:
        """List the key and value nodes along the path, as far as it exists."""
        steps: list[tuple[Node | None, Node]] = []
        node = self.tree
        for name in path:
            step = _child(node, name)
            if step is None:
                break
            steps.append(step)
            node = step[1]
        return steps


def _child(node: Node, name: str | int) -> tuple[Node | None, Node] | None:
    if isinstance(node, SequenceNode) and isinstance(name, int):
        return (None, node.value[name]) if 0 <= name < len(node.value) else None
    if isinstance(node, MappingNode):
        return _entry(node, name)
    return None


def _entry(node: MappingNode, name: str | int) -> tuple[Node, Node] | None:
    # The last one wins, as in the value.
    for key, value in reversed(node.value):
        if is_merge(key):
            for mapping in merged_mappings(key, value):
                if (entry := _entry(mapping, name)) is not None:
                    return entry
        elif name_of_key(key) == name:
            return key, value
    return None


def name_of_key(key: Node) -> str:
    """Read a scalar key as the string it is in JSON."""
    if key.tag is PLAIN:
        return read_plain_key(key.value)
    if key.tag is QUOTED:
        return str(key.value)
    return read_tagged_key(key.value, key.tag)
