"""New values as text: block style for block mappings, flow style inside brackets.

Writes only what Transom adds itself: words, numbers, mappings and lists.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from transom.yamlio.scalar import UnreadableScalar, read_plain

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9./_-]*")


def scalar(value: Any, *, quote: str = "") -> str:
    """A scalar as text, in the given quotes, or plain where that reads the same."""
    if not isinstance(value, str):
        return json.dumps(value)
    if quote == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if not quote and _is_plain(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def flow(value: Any, *, as_json: bool = False) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        pairs = (
            f"{_flow_key(key, as_json=as_json)}: {flow(below, as_json=as_json)}"
            for key, below in value.items()
        )
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(item, as_json=as_json) for item in value) + "]"
    return scalar(value, quote='"' if as_json else "")


def block(value: Mapping[str, Any], *, column: int, list_step: int) -> Iterator[str]:
    """The lines of a mapping; its lists are `list_step` columns to the right of their key."""
    for key, below in value.items():
        head = f"{' ' * column}{scalar(key)}:"
        if isinstance(below, Mapping) and below:
            yield head
            yield from block(below, column=column + 2, list_step=list_step)
        elif isinstance(below, list | tuple) and below:
            yield head
            for item in below:
                yield from block_item(item, column=column + list_step, list_step=list_step)
        else:
            yield f"{head} {flow(below)}"


def block_item(item: Any, *, column: int, list_step: int) -> Iterator[str]:
    """The lines of one item of a list."""
    if not isinstance(item, Mapping) or not item:
        yield f"{' ' * column}- {flow(item)}"
        return
    first, *rest = block(item, column=column + 2, list_step=list_step)
    yield f"{' ' * column}- {first.lstrip(' ')}"
    yield from rest


def _flow_key(key: str, *, as_json: bool) -> str:
    return json.dumps(key) if as_json else scalar(key)


def _is_plain(text: str) -> bool:
    try:
        return _WORD.fullmatch(text) is not None and read_plain(text) == text
    except UnreadableScalar:
        return False
