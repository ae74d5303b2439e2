"""A quick reading of the plain YAML that most manifests are written in, line by line.

Called by the loader before the parser. It knows block mappings and lists, scalars on one line,
lists of simple words in brackets and literal text, and gives up at anything else: then libyaml
reads the document from its start. It never refuses a document and never guesses; where it gives
a value, the parser would give the same one.
"""

import re
from typing import Any

from transom.spec.construction import ScalarMemo, UnusualError
from transom.spec.node import MAX_DEPTH

# Everything else is for the parser: tabs, control characters, breaks that only YAML knows.
_ODD = re.compile(
    r"[^\n\x20-\x7e\xa1-\u2027\u2030-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)

_DOUBLE = r'"([^"\\\n]*+)"'
_SINGLE = r"'([^'\n]*+)'"
_WORD = r"(?:[^ :#\n]++|:(?=[^ \n])|(?<! )#)"
_PLAIN = rf"((?:[\w./\\$(<=+;^~]|-(?=[^ \n])){_WORD}*+(?: ++{_WORD}++)*+)"
_LINE = re.compile(
    r"( *+)(-(?: ++|(?=\n)))?+"
    rf"(?:(?:([a-zA-Z_][a-zA-Z0-9_./-]{{0,250}}+)|{_DOUBLE}|{_SINGLE}):(?: ++|(?=\n)))?+"
    rf"(?:{_PLAIN}|{_DOUBLE}|{_SINGLE}|(?P<flow>[\[{{][^\n]*+)|(\|-?+))?+"
    r" *+(?:(?<= )#[^\n]*+)?+\n"
)
_SKIPPED = re.compile(r"(?: *+(?:#[^\n]*+)?\n)++")
_FLOW = re.compile(
    rf" *+(?:([\[\]{{}},])|{_DOUBLE}|{_SINGLE}|(-?[a-zA-Z0-9./_][a-zA-Z0-9./_-]*+))(:(?= ))?+"
)
_FLOW_END = re.compile(r" *+(?:(?<= )#[^\n]*+)?+\n")
# YAML's own limit is 1024, counted to the colon.
_LONGEST_KEY = 250
_SPACES_ONLY = re.compile(r" ++\n")
_SPACES = re.compile(r" *+")


class Glance:
    """Reads documents of one stream; scalars that repeat are read once."""

    def __init__(self, scalars: ScalarMemo) -> None:
        self._plain = scalars.plain
        self._keys = scalars.keys

    def read(self, source: str) -> Any:
        """Give the document's value.

        Raises:
            UnusualError: the document needs the parser, which may well refuse it.
        """
        text = source.replace("\r\n", "\n")
        if not text.endswith("\n") or "\n..." in text or _ODD.search(text):
            raise UnusualError
        return self._read_lines(text)

    def _read_lines(self, text: str) -> Any:  # noqa: C901, PLR0912, PLR0915 - one loop, for speed
        plain, keys, match_line, skip = self._plain, self._keys, _LINE.match, _SKIPPED.match
        root: list[Any] = [None]
        # The collections that are open, outermost first, and the column each starts in.
        levels: list[Any] = []
        columns: list[int] = []
        # Where the next line may put a collection: the last line ended with a key or dash alone.
        owner: Any = root
        slot: Any = 0
        owner_column = -1
        is_open = True
        position = 0
        end = len(text)
        while position < end:
            if (skipped := skip(text, position)) is not None:
                position = skipped.end()
                continue
            line = match_line(text, position)
            if line is None:
                raise UnusualError
            position = line.end()
            spaces, dash, key, key2, key3, word, quoted, quoted2, flow, literal = line.groups()
            column = len(spaces)
            if dash is not None:
                # A list may start in the column of the key that holds it, but not of a dash.
                if is_open and (
                    column > owner_column
                    or (column == owner_column and owner is not root and type(owner) is dict)
                ):
                    holder: Any = []
                    owner[slot] = holder
                    levels.append(holder)
                    columns.append(column)
                else:
                    while columns and columns[-1] > column:
                        columns.pop()
                        levels.pop()
                    if not columns or columns[-1] != column or type(levels[-1]) is not list:
                        raise UnusualError
                    holder = levels[-1]
                owner, slot, owner_column = holder, len(holder), column
                holder.append(None)
                is_open = True
                column += len(dash)
            if key is not None:
                name = keys[key]
            elif key2 is not None:
                name = key2
            elif key3 is not None:
                name = key3
            elif dash is None:
                raise UnusualError
            else:
                name = None
            if name is not None:
                if is_open and column > owner_column:
                    holder = {}
                    owner[slot] = holder
                    levels.append(holder)
                    columns.append(column)
                else:
                    while columns and (
                        columns[-1] > column or (columns[-1] == column and type(levels[-1]) is list)
                    ):
                        columns.pop()
                        levels.pop()
                    if not columns or columns[-1] != column:
                        raise UnusualError
                    holder = levels[-1]
                if name in holder or len(name) > _LONGEST_KEY:
                    raise UnusualError
                owner, slot, owner_column = holder, name, column
            is_open = False
            if word is not None:
                owner[slot] = plain[word]
            elif quoted is not None:
                owner[slot] = quoted
            elif quoted2 is not None:
                owner[slot] = quoted2
            elif flow is not None:
                owner[slot], stop = self._read_flow(text, line.start("flow"), depth=len(levels))
                if (rest := _FLOW_END.match(text, stop)) is None:
                    raise UnusualError
                position = rest.end()
            elif literal is not None:
                owner[slot], position = _read_literal(text, position, owner_column, literal)
            else:
                owner[slot] = None
                is_open = True
            if len(levels) > MAX_DEPTH:
                raise UnusualError
        if not levels:
            raise UnusualError
        return root[0]

    def _read_flow(self, text: str, start: int, *, depth: int) -> tuple[Any, int]:
        """Read brackets that close on their line; give the value and where they end."""
        if depth > MAX_DEPTH:
            raise UnusualError
        is_list = text[start] == "["
        closing = "]" if is_list else "}"
        items: list[Any] = []
        entries: dict[str, Any] = {}
        mark, position = "", start + 1
        while mark != closing:
            if not is_list:
                name, position = self._read_flow_key(text, position)
                if name is None and not entries and text[position - 1] == closing:
                    break
                if name is None or name in entries or len(name) > _LONGEST_KEY:
                    raise UnusualError
            token = _next_token(text, position)
            mark, double, single, word, colon = token.groups()
            position = token.end()
            if colon is not None:
                raise UnusualError
            if mark is None:
                value = self._plain[word] if word else double or single or ""
            elif mark in "[{":
                value, position = self._read_flow(text, position - 1, depth=depth + 1)
            elif mark == "]" and is_list and not items:
                break
            else:
                raise UnusualError
            if is_list:
                items.append(value)
            else:
                entries[name] = value
            token = _next_token(text, position)
            mark, position = token[1], token.end()
            if mark not in (",", closing) or token[5] is not None:
                raise UnusualError
        return (items if is_list else entries), position

    def _read_flow_key(self, text: str, start: int) -> tuple[str | None, int]:
        token = _next_token(text, start)
        mark, double, single, word, colon = token.groups()
        if mark is not None:
            return None, token.end()
        if colon is None:
            raise UnusualError
        return (self._keys[word] if word else double or single or ""), token.end()


def _next_token(text: str, start: int) -> re.Match[str]:
    token = _FLOW.match(text, start)
    if token is None:
        raise UnusualError
    return token


def _read_literal(text: str, start: int, column: int, style: str) -> tuple[str, int]:
    """Read the lines below `|`; the first one sets the indentation."""
    first = _SPACES.match(text, start)
    assert first is not None
    indent = first.end() - start
    if indent <= column or text[first.end() : first.end() + 1] in ("", "\n"):
        raise UnusualError
    body = re.compile(rf"(?: {{{indent}}}[^\n]*+\n|\n)++").match(text, start)
    assert body is not None
    # Such a line belongs to the text where more of it follows.
    if _SPACES_ONLY.match(text, body.end()):
        raise UnusualError
    lines = body[0][indent:].replace("\n" + " " * indent, "\n").rstrip("\n")
    return (lines if style == "|-" else lines + "\n"), body.end()
