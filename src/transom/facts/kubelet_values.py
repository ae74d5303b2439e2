"""Single values of KubeletConfiguration: whether one is of a type, and how to write it instead.

Types are named as in `kubelet_types.json`: `int32`, `duration`, `map of string`.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

_DURATION = re.compile(r"[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_QUANTITY = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[numkMGTPE]|[KMGTPE]i|[eE][-+]?\d+)?")
_WHOLE = re.compile(r"[-+]?\d{1,19}")
_LONGEST_SHOWN = 40
_BOUNDS = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
}
_WORDS = {
    "string": "text",
    "bool": "true or false",
    "float64": "a number",
    "duration": "a duration such as 30s, 10m or 1h30m",
    "duration or nanoseconds": "a duration such as 5s",
    "quantity": "a quantity such as 500Mi",
    "time": "a time such as 2026-01-31T12:00:00Z",
    "object": "a map",
}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_quantity(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, str) and bool(_QUANTITY.fullmatch(value)))


def _is_duration(value: Any) -> bool:
    return isinstance(value, str) and bool(_DURATION.fullmatch(value))


_FITS: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool),
    "float64": lambda value: _is_whole(value) or isinstance(value, float),
    "duration": _is_duration,
    "duration or nanoseconds": lambda value: _is_whole(value) or _is_duration(value),
    "quantity": _is_quantity,
    "time": lambda value: isinstance(value, str),
}


def fits(value: Any, kind: str) -> bool:
    """Whether a kubelet reads that value where it wants that type; lists and maps never do here."""
    if kind in _BOUNDS:
        least, most = _BOUNDS[kind]
        return _is_whole(value) and least <= value <= most
    return kind in _FITS and _FITS[kind](value)


def wanted(kind: str) -> str:
    """The type in words that complete "this must be ..."."""
    outer, _, inner = kind.partition(" of ")
    if outer == "list":
        return f"a list of {_several(inner)}"
    if outer == "map":
        return f"a map whose values are {_several(inner)}"
    if kind in _BOUNDS:
        least, most = _BOUNDS[kind]
        return f"a whole number from {least} to {most}"
    return _WORDS[kind]


def _several(kind: str) -> str:
    if kind in _BOUNDS:
        return "whole numbers"
    plural = {
        "string": "texts",
        "bool": "true or false",
        "object": "maps",
        "quantity": "quantities",
    }
    return plural.get(kind) or wanted(kind)


def shown(value: Any) -> str:
    """A value as a message names it: short, text in quotes."""
    if isinstance(value, Mapping):
        return "a map"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    if len(text) > _LONGEST_SHOWN:
        text = text[:_LONGEST_SHOWN] + "..."
    return f'"{text}"' if isinstance(value, str) else text


def spelt(value: Any, kind: str) -> str:
    """What to write instead, exactly where that can be known."""
    outer, _, inner = kind.partition(" of ")
    if outer == "list":
        return f"Write [{_plain(value)}]." if fits(value, inner) else f"Write {wanted(kind)}."
    if isinstance(value, str):
        return _from_text(value, kind)
    if isinstance(value, Mapping | list | tuple):
        return f"Write {wanted(kind)}."
    if kind == "string":
        return f'Write "{_plain(value)}", in quotes.'
    if kind == "duration" and _is_whole(value):
        return f"Write {value}s if these are seconds."
    return f"Write {wanted(kind)}."


def _from_text(value: str, kind: str) -> str:
    lower = value.lower()
    if kind == "bool" and lower in ("true", "false", "yes", "no", "on", "off"):
        return f"Write {'true' if lower in ('true', 'yes', 'on') else 'false'}, without quotes."
    if kind in _BOUNDS and _WHOLE.fullmatch(value) and fits(int(value), kind):
        return f"Write {int(value)}, without quotes."
    if kind == "duration" and _WHOLE.fullmatch(value):
        return f"Write {value}s if these are seconds."
    return f"Write {wanted(kind)}."


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
