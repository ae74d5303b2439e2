"""The part of YAML that Kubernetes' own programs write, read with the standard library alone.

Block mappings and sequences, plain and quoted scalars on one line, empty or JSON-like flow values.
Whatever else a person may write is refused, never guessed. JSON is read too.
"""

import json
import re
from typing import Any

_ENTRY = re.compile(
    r"""^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s:'"#{\[&*!|>%@`-][^:]*):(?:\s+(.*))?$"""
)
_INTEGER = re.compile(r"^-?(0|[1-9][0-9]*)$")
_FLOAT = re.compile(r"^-?[0-9]+\.[0-9]+$")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_REFUSED = ("&", "*", "!", "|", ">", "%", "@", "`")


def read(text: str) -> Any:
    """The value of a document; raise ValueError naming the line that cannot be read."""
    if text.lstrip().startswith(("{", "[")):
        return json.loads(text)
    lines = _Lines(text)
    if not lines.left:
        return None
    value = _block(lines)
    if lines.left:
        raise lines.refusal()
    return value


class _Lines:
    """The lines that say something, with their indentation, from the first to the last."""

    def __init__(self, text: str) -> None:
        self.left = [
            (number, len(line) - len(line.lstrip(" ")), line.strip())
            for number, line in enumerate(text.splitlines(), start=1)
            if line.strip() and not line.lstrip().startswith("#") and line.rstrip() != "---"
        ]
        self.left.reverse()

    def at(self, indent: int) -> str | None:
        """The next line where it has that indentation."""
        return self.left[-1][2] if self.left and self.left[-1][1] == indent else None

    def refusal(self) -> ValueError:
        return ValueError(f"line {self.left[-1][0]} is YAML of a kind that is not read here")


def _block(lines: _Lines) -> Any:
    indent = lines.left[-1][1]
    return _sequence(lines, indent) if _is_item(lines.at(indent)) else _mapping(lines, indent)


def _is_item(text: str | None) -> bool:
    return text is not None and (text == "-" or text.startswith("- "))


def _mapping(lines: _Lines, indent: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while (text := lines.at(indent)) is not None and not _is_item(text):
        entry = _ENTRY.match(text)
        if entry is None:
            raise lines.refusal()
        key = str(_scalar(entry[1], lines))
        if entry[2]:
            found[key] = _scalar(entry[2], lines)
            lines.left.pop()
            continue
        lines.left.pop()
        deeper = bool(lines.left) and lines.left[-1][1] > indent
        found[key] = _block(lines) if deeper or _is_item(lines.at(indent)) else None
    return found


def _sequence(lines: _Lines, indent: int) -> list[Any]:
    found = []
    while _is_item(text := lines.at(indent)):
        assert text is not None
        number, _, _ = lines.left.pop()
        rest = text[1:].lstrip()
        if not rest:
            found.append(_block(lines) if lines.left and lines.left[-1][1] > indent else None)
        elif _ENTRY.match(rest) or _is_item(rest):
            lines.left.append((number, indent + len(text) - len(rest), rest))
            found.append(_block(lines))
        else:
            lines.left.append((number, indent, rest))
            found.append(_scalar(rest, lines))
            lines.left.pop()
    return found


def _scalar(text: str, lines: _Lines) -> Any:
    if text[:1] in ('"', "{", "["):
        try:
            return json.loads(text)
        except ValueError:
            raise lines.refusal() from None
    if text.startswith("'"):
        if len(text) < 2 or not text.endswith("'"):  # noqa: PLR2004 - a pair of quotes
            raise lines.refusal()
        return text[1:-1].replace("''", "'")
    if text.startswith(_REFUSED) or " #" in text:
        raise lines.refusal()
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _FLOAT.match(text) else text
