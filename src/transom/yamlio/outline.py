"""The places in a document that was read at a glance, found by its indentation alone.

Asked by such documents before any node tree is made: a path is followed through the lines, which
costs far less than parsing them again. It answers only where the answer is certain.
"""

import re
from typing import Any

from transom.yamlio.unusual import UnusualError

# A line's number, the column it begins in, and its text from there on.
_Row = tuple[int, int, str]

_KEY = re.compile(r"""(?:([a-zA-Z_][a-zA-Z0-9_./-]*+)|"([^"]*+)"|'([^']*+)'):(?: ++|$)""")
_DASH = re.compile(r"-(?: ++|$)")

Place = tuple[int, int]


class Outline:
    """The lines of one document, without blank ones and comments."""

    __slots__ = ("_rows",)

    def __init__(self, text: str) -> None:
        self._rows: list[_Row] = []
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n")):
            content = line.lstrip(" ")
            if content and content[0] != "#":
                self._rows.append((number, len(line) - len(content), content))

    def key_place(self, value: Any, path: tuple[str | int, ...]) -> Place:
        """Give the line and column, from zero, of a path's last key or item that exists.

        Raises:
            UnusualError: only the parser knows.
        """
        block = self._rows
        place = (block[0][0], block[0][1])
        for step in path:
            if not _has(value, step):
                return place
            value = value[step]
            row, block = _entry(block, step) if isinstance(step, str) else _item(block, step)
            place = (row[0], row[1])
        return place


def _has(value: Any, step: str | int) -> bool:
    if isinstance(step, str):
        return isinstance(value, dict) and step in value
    return isinstance(value, list) and 0 <= step < len(value)


def _entry(block: list[_Row], name: str) -> tuple[_Row, list[_Row]]:
    """Find a key in the lines of a mapping; give its line, and the lines of its value."""
    if not block:
        raise UnusualError
    column = block[0][1]
    for index, row in enumerate(block):
        match = _KEY.match(row[2]) if row[1] == column else None
        if match is not None and name in match.groups():
            return row, _below(block, index, column, row[2][match.end() :])
    raise UnusualError


def _below(block: list[_Row], index: int, column: int, rest: str) -> list[_Row]:
    """The lines of a value that begins below its key; none for a value on the key's line."""
    if rest and rest[0] != "#":
        return []
    end = index + 1
    # A list may begin in the column of its key.
    while end < len(block) and (
        block[end][1] > column or (block[end][1] == column and _DASH.match(block[end][2]))
    ):
        end += 1
    return block[index + 1 : end]


def _item(block: list[_Row], number: int) -> tuple[_Row, list[_Row]]:
    """Find an item in the lines of a list; give where its content begins, and its lines."""
    if not block:
        raise UnusualError
    column = block[0][1]
    starts = [index for index, row in enumerate(block) if row[1] == column and _DASH.match(row[2])]
    if number >= len(starts):
        raise UnusualError
    start = starts[number]
    end = starts[number + 1] if number + 1 < len(starts) else len(block)
    line, _column, content = block[start]
    dash = _DASH.match(content)
    assert dash is not None
    rest = content[dash.end() :]
    lines = block[start + 1 : end]
    if not rest or rest[0] == "#":
        if not lines:
            raise UnusualError
        return lines[0], lines
    first = (line, column + dash.end(), rest)
    return first, [first, *lines] if _KEY.match(rest) else []
