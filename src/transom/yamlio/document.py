"""One document of a YAML stream: its plain value, and the place of everything in it.

Made by the loader; read by whatever judges a document and must say where. Most documents are
never asked for a place, so the node tree is kept or made only when one is.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from transom.yamlio.outline import Outline
from transom.yamlio.scalar import UnreadableScalar, read_plain
from transom.yamlio.unusual import UnusualError

if TYPE_CHECKING:
    from yaml.nodes import Node

Path = Sequence[str | int]

# Whatever may be a number, with all that touches it.
_NUMBER = re.compile(r"(?<![\w.+-])[-+.0-9][\w.+-]*")


class Position(NamedTuple):
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

    __slots__ = (
        *("_outline", "_root", "_spelt", "_text"),
        *("first_line", "index", "name", "start", "value"),
    )

    def __init__(
        self,
        value: Any,
        *,
        name: str,
        index: int,
        text: bytes,
        first_line: int,
        start: int = 0,
        root: "Node | None" = None,
    ) -> None:
        self.value = value
        self.name = name
        self.index = index
        self.start = start
        self._text = text
        self.first_line = first_line
        self._root = root
        self._outline: Outline | None = None
        self._spelt: dict[float, set[str]] | None = None

    @property
    def source(self) -> bytes:
        """The document's own text: UTF-8, without separators and byte order mark."""
        return self._text

    @property
    def tree(self) -> "Node":
        """The node tree, whose marks count the characters of `source`."""
        if self._root is None:
            from transom.yamlio.node import compose

            self._root = compose(self._text)
            assert self._root is not None
        return self._root

    def take_place_of(self, other: "Document") -> None:
        """Stand where another document of the same stream stood, whose text this one replaces."""
        self.index, self.start = other.index, other.start
        self.first_line = other.first_line

    def locate(self, path: Path, *, key: bool = False) -> Position:
        """Find the place of a value, or of its key; of the nearest ancestor if it is absent."""
        if key and self._root is None and (position := self._glance(path)) is not None:
            return position
        place = self.tree
        for key_node, value_node in self._walk(path):
            place = key_node if key and key_node is not None else value_node
        mark = place.start_mark
        return Position(self.first_line + mark.line, mark.column + 1)

    def text(self, path: Path) -> str | None:
        """Give a scalar's characters before they are read as a number or word, such as `1.30`.

        Quotes and escapes are already resolved. None where the path leads to no scalar.
        """
        if self._root is None and (text := self._integer(path)) is not None:
            return text
        node = self._find(path)
        return node.value if node is not None and isinstance(node.value, str) else None

    def is_plain(self, path: Path) -> bool:
        """Tell whether the path leads to a scalar written without quotes."""
        node = self._find(path)
        is_scalar = node is not None and isinstance(node.value, str)
        return is_scalar and not getattr(node, "style", None)

    def _glance(self, path: Path) -> Position | None:
        """Find the place of a key without a tree, in a document that was read without one."""
        if self._outline is None:
            self._outline = Outline(self._text.decode())
        try:
            line, column = self._outline.key_place(self.value, tuple(path))
        except UnusualError:
            return None
        return Position(self.first_line + line, column + 1)

    def _integer(self, path: Path) -> str | None:
        """How an integer is written, where the document has only one spelling of it: no tree is made."""
        value = self.value
        try:
            for name in path:
                value = value[name]
        except (LookupError, TypeError):
            return None
        if type(value) is not int:
            return None
        if self._spelt is None:
            self._spelt = _spellings(self._text.decode())
        spelt = self._spelt.get(value, set())
        return next(iter(spelt)) if len(spelt) == 1 else None

    def _find(self, path: Path) -> "Node | None":
        steps = self._walk(path)
        if len(steps) < len(path):
            return None
        return steps[-1][1] if steps else self.tree

    def _walk(self, path: Path) -> "list[tuple[Node | None, Node]]":
        """List the key and value nodes along the path, as far as it exists."""
        from transom.yamlio.tree import child

        steps: list[tuple[Node | None, Node]] = []
        node = self.tree
        for name in path:
            step = child(node, name)
            if step is None:
                break
            steps.append(step)
            node = step[1]
        return steps


def _spellings(text: str) -> dict[float, set[str]]:
    """The ways in which a text writes each number that it may have."""
    found: dict[float, set[str]] = {}
    for word in set(_NUMBER.findall(text)):
        try:
            value = read_plain(word)
        except UnreadableScalar:
            continue
        if isinstance(value, int | float):
            found.setdefault(value, set()).add(word)
    return found


def end_of(text: str) -> tuple[int, int]:
    """Give the line and column that follow a text."""
    return text.count("\n") + 1, len(text) - text.rfind("\n")
