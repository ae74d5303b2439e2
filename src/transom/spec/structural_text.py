"""Texts in a structural schema: patterns that Go's RE2 takes, and how long a text may be.

RE2 has no look-ahead, and a syntax that a function decides has no pattern at all: for those the forms
here accept whatever the syntax accepts, and refuse what is plainly something else. Who reads the object
later judges by the syntax itself.
"""

from collections.abc import Mapping
from typing import Any

from transom.spec.shape import Text
from transom.spec.syntax import Syntax

_LONGEST_TEXT = 16384
_DNS = r"[A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([-A-Za-z0-9_]{0,61}[A-Za-z0-9_])?)*\.?"
_V6 = r"[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(%[0-9A-Za-z]+)?"
_HOST = rf"({_DNS}|{_V6})"
_PORT = r":[0-9]{1,5}"
_HOST_AND_PORT = rf"({_DNS}|\[{_V6}\])"

_FORMS: Mapping[str, str] = {
    "address": rf"([0-9]{{1,3}}(\.[0-9]{{1,3}}){{3}}|{_V6})",
    "cidr": r"[0-9A-Fa-f:.]+/[0-9]{1,3}",
    "host": _HOST,
    "dns-name": _DNS,
    "endpoint": rf"{_HOST_AND_PORT}{_PORT}",
    "jump": rf"([^\s:@]+@)?({_HOST}|{_HOST_AND_PORT}{_PORT})",
    "url": r"https?://[^\s\\]+",
    "no-proxy": r"[^\s,;]+",
    "duration": r"([0-9]+h)?([0-9]+m)?([0-9]+s)?",
    "registry": rf"({_HOST}|{_HOST_AND_PORT}{_PORT})",
    "member": r"[^/\\\s][^\\\s]*",
}

_LONGEST: Mapping[str, int] = {
    "name": 63,
    "label-value": 63,
    "address": 64,
    "cidr": 64,
    "release": 16,
    "sha256": 64,
    "ca-hash": 71,
    "thumbprint": 40,
    "qualified-name": 317,
    "object-name": 253,
    "host-name": 253,
    "credential-name": 253,
    "host": 254,
    "dns-name": 254,
    "version": 160,
}
_LONGEST_OTHER = 2048


def text_schema(shape: Text) -> dict[str, Any]:
    """The type of a text, its choices or its pattern, and its bound."""
    if shape.choices:
        return {"type": "string", "enum": list(shape.choices)}
    if shape.syntax is None:
        return {"type": "string", "maxLength": _LONGEST_TEXT}
    longest = _LONGEST.get(shape.syntax.name, _LONGEST_OTHER)
    return {"type": "string", "maxLength": longest, "pattern": f"^(?:{pattern(shape.syntax)})$"}


def pattern(syntax: Syntax) -> str:
    """A pattern that RE2 compiles and that every text of that syntax matches."""
    return _FORMS.get(syntax.name) or syntax.pattern
