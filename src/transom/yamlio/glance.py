"""A quick reading of the plain YAML that most manifests are written in, line by line.

It knows block mappings and lists, scalars on one line, lists of simple words in brackets and
literal text, and gives up at anything else: then libyaml reads the document from its start. It
never refuses a document and never guesses; where it gives a value, the parser would give the same
one.
"""

import re
from typing import Any

from transom.yamlio.scalar import HINTS, read_plain, read_plain_key
from transom.yamlio.unusual import MAX_DEPTH, UnusualError

_DOUBLE = r'"([^"\\\n]*+)"'
_ESCAPED = r'"((?:[^"\\\n]++|\\["\\nt])*+)"'
_SINGLE = r"'([^'\n]*+)'"
_WORD = r"(?:[^ :#\n]++|:(?=[^ \n])|(?<! )#)"
_PLAIN = rf"((?:[\w./\\$(<=+;^~]|-(?=[^ \n])){_WORD}*+(?: ++{_WORD}++)*+)"
_LINE = re.compile(
    r"( *+)(-(?: ++|(?=\n)))?+"
    rf"(?:(?:([a-zA-Z_][a-zA-Z0-9_./-]{{0,250}}+)|{_DOUBLE}|{_SINGLE}):(?: ++|(?=\n)))?+"
    rf"(?:{_PLAIN}|{_ESCAPED}|{_SINGLE}|(?P<special>[\[{{][^\n]*+|\|[-+]?+))?+"
    r" *+(?:(?<![^ \n])#[^\n]*+)?+\n"
)
_FLOW_WORD = r"(-?[a-zA-Z0-9./_][a-zA-Z0-9./_-]*+)"
_FLOW_KEY = re.compile(rf" *+(?:{_FLOW_WORD}|{_DOUBLE}|{_SINGLE}): ")
_FLOW_VALUE = re.compile(rf" *+(?:([\[{{])|{_FLOW_WORD}|{_DOUBLE}|{_SINGLE})")
_FLOW_MARK = re.compile(r" *+([\]},])")
_EMPTY_FLOW = re.compile(r"\[ *+\]|\{ *+\}")
_CLOSING = {"[": "]", "{": "}"}
_FLOW_END = re.compile(r" *+(?:(?<= )#[^\n]*+)?+\n")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_ENDS = {"|": "\n", "|-": ""}
# Brackets are read by calls within calls, of which Python allows a thousand; people nest them a few deep.
_DEEPEST_FLOW = 50
# YAML's own limit is 1024, counted to the colon.
_LONGEST_KEY = 250
_SPACES_ONLY = re.compile(r" ++\n")
_SPACES = re.compile(r" *+")


def glance(source: str) -> Any:
    """Give the document's value.

    Raises:
        UnusualError: the document needs the parser, which may well refuse it.
        UnreadableScalar: the same, because of one scalar.
    """
    text = source.replace("\r\n", "\n")
    # Tabs, controls, unusual spaces and line breaks that only YAML knows are for the parser.
    is_printable = text.replace("\n", "").isprintable()
    if not is_printable or not text.endswith("\n") or "\n..." in text:
        raise UnusualError
    return _read_block(text)


def _read_block(text: str) -> Any:  # noqa: C901, PLR0912, PLR0915 - one loop over lines, for speed
    root: list[Any] = [None]
    # The collections that are open, outermost first, and the column each starts in.
    levels: list[Any] = []
    columns: list[int] = []
    # The last place of a value; the next line may put a collection there while it is open.
    owner: Any = root
    slot: Any = 0
    owner_column = -1
    is_open = True
    match = _LINE.match
    position, end = 0, len(text)
    while position < end:
        line = match(text, position)
        if line is None:
            raise UnusualError
        position = line.end()
        spaces, dash, key, double, single, word, quoted, quoted_single, literal = line.groups()
        column = len(spaces)
        if dash is not None:
            # A list may start in the column of the key that holds it, but not of a dash.
            if is_open and (
                column > owner_column or (column == owner_column and type(owner) is dict)
            ):
                holder: Any = []
                owner[slot] = holder
                levels.append(holder)
                columns.append(column)
                if len(levels) > MAX_DEPTH:
                    raise UnusualError
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
            name = read_plain_key(key)
        elif double is not None or single is not None:
            name = double or single or ""
            if len(name) > _LONGEST_KEY:
                raise UnusualError
        elif dash is None:
            if line.lastindex != 1:
                raise UnusualError
            continue
        else:
            name = None
        if name is not None:
            if is_open and column > owner_column:
                holder = {}
                owner[slot] = holder
                levels.append(holder)
                columns.append(column)
                if len(levels) > MAX_DEPTH:
                    raise UnusualError
            else:
                while columns[-1] > column or (columns[-1] == column and type(levels[-1]) is list):
                    columns.pop()
                    levels.pop()
                    if not columns:
                        raise UnusualError
                if columns[-1] != column:
                    raise UnusualError
                holder = levels[-1]
                if name in holder:
                    raise UnusualError
            owner, slot, owner_column = holder, name, column
        is_open = False
        if word is not None:
            owner[slot] = word if word[0] not in HINTS else read_plain(word)
        elif quoted is not None:
            owner[slot] = _ESCAPE.sub(_unescape, quoted) if "\\" in quoted else quoted
        elif quoted_single is not None:
            owner[slot] = quoted_single
        elif literal is None:
            owner[slot] = None
            is_open = True
        elif literal[0] == "|":
            owner[slot], position = _read_literal(text, position, owner_column, literal)
        else:
            if len(levels) + _DEEPEST_FLOW > MAX_DEPTH:
                raise UnusualError
            owner[slot], position = _read_flow(text, line.start("special"), depth=0)
            if (rest := _FLOW_END.match(text, position)) is None:
                raise UnusualError
            position = rest.end()
    if not levels:
        raise UnusualError
    return root[0]


def _read_flow(text: str, start: int, *, depth: int) -> tuple[Any, int]:
    """Read brackets that close on their line; give the value and where they end."""
    if depth > _DEEPEST_FLOW:
        raise UnusualError
    if _EMPTY_FLOW.match(text, start):
        return ([] if text[start] == "[" else {}), text.index(_CLOSING[text[start]], start) + 1
    return (_read_flow_list if text[start] == "[" else _read_flow_mapping)(text, start + 1, depth)


def _read_flow_list(text: str, position: int, depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    while True:
        value, position = _read_flow_value(text, position, depth)
        items.append(value)
        mark, position = _read_flow_mark(text, position)
        if mark == "]":
            return items, position
        if mark != ",":
            raise UnusualError


def _read_flow_mapping(text: str, position: int, depth: int) -> tuple[dict[str, Any], int]:
    entries: dict[str, Any] = {}
    while True:
        token = _FLOW_KEY.match(text, position)
        if token is None:
            raise UnusualError
        word, double, single = token.groups()
        name = read_plain_key(word) if word else double or single or ""
        if name in entries or len(name) > _LONGEST_KEY:
            raise UnusualError
        entries[name], position = _read_flow_value(text, token.end(), depth)
        mark, position = _read_flow_mark(text, position)
        if mark == "}":
            return entries, position
        if mark != ",":
            raise UnusualError


def _read_flow_value(text: str, position: int, depth: int) -> tuple[Any, int]:
    token = _FLOW_VALUE.match(text, position)
    if token is None:
        raise UnusualError
    opening, word, double, single = token.groups()
    if opening:
        return _read_flow(text, token.end() - 1, depth=depth + 1)
    return (read_plain(word) if word else double or single or ""), token.end()


def _read_flow_mark(text: str, position: int) -> tuple[str, int]:
    token = _FLOW_MARK.match(text, position)
    if token is None:
        raise UnusualError
    return token[1], token.end()


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
    lines = body[0][indent:].replace("\n" + " " * indent, "\n")
    if style != "|+":
        lines = lines.rstrip("\n") + _ENDS[style]
    return lines, body.end()


def _unescape(escape: re.Match[str]) -> str:
    return _ESCAPES[escape[1]]
