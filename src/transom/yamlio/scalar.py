"""How Kubernetes reads one scalar: go-yaml v2's rules, then a trip through JSON.

Values come back as the plain Python value that JSON text written by `sigs.k8s.io/yaml` would give,
so `1e3` is an integer and `08` is 8. Knows nothing of documents or places: a scalar that cannot be
read raises `UnreadableScalar`.
"""

import math
import re
import struct
from functools import lru_cache

Scalar = str | int | float | bool | None

_TAG = "tag:yaml.org,2002:"
STR_TAG = f"{_TAG}str"
MAP_TAG = f"{_TAG}map"
SEQ_TAG = f"{_TAG}seq"
MERGE_TAG = f"{_TAG}merge"
_BINARY_TAG = f"{_TAG}binary"
_FLOAT_TAG = f"{_TAG}float"
_TYPES_OF_TAG: dict[str, tuple[type, ...]] = {
    f"{_TAG}null": (type(None),),
    f"{_TAG}bool": (bool,),
    f"{_TAG}int": (int,),
    _FLOAT_TAG: (int, float),
}

_TRUE = ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")
_FALSE = ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")
_NULL = ("", "~", "null", "Null", "NULL")
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(_TRUE, True),
    **dict.fromkeys(_FALSE, False),
    **dict.fromkeys(_NULL),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
# A plain scalar that starts with none of these is a string.
HINTS = _NUMBER_STARTS | frozenset(word[0] for word in _WORDS if word)

_INTEGER = re.compile(
    r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]([0-7]+)|0([0-7]+)|(0|[1-9][0-9]*))"
)
_BASES = (16, 2, 8, 8, 10)
# go-yaml tries a second time after a failed `0b`, and then takes a sign behind the prefix.
_LATE_BINARY = re.compile(r"0b([-+][01]+)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INT64 = range(-(2**63), 2**63)
_UINT64 = range(2**64)
# Longer digit strings are beyond any 64-bit integer in every base; Python's own reading of very
# long ones takes quadratic time.
_LONGEST_INTEGER = 128

# encoding/json writes a float without exponent below this, which makes an integral one an integer.
_JSON_EXPONENT_FROM = 1e21
_EXACT_BELOW = 2.0**53
_G_EXPONENT_FROM = 6
_G_EXPONENT_BELOW = -4
_FLOAT32_DIGITS = 9
_LONGEST_QUOTE = 40


class UnreadableScalar(Exception):  # noqa: N818 - never leaves the loader, which gives it a place
    """A scalar that Kubernetes refuses too; the message says why, `hint` what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def read_plain(text: str) -> Scalar:
    """Read an untagged, unquoted value."""
    return _through_json(_resolve(text), text)


def read_tagged(text: str, tag: str) -> Scalar:
    """Read a value that carries a tag, such as `!!int "12"`."""
    return _through_json(_resolve_tagged(text, tag), text)


@lru_cache(maxsize=4096)
def read_plain_key(text: str) -> str:
    """Read an untagged, unquoted mapping key; `y:` is the string `"true"`."""
    return _name_key(_resolve(text), text)


def read_tagged_key(text: str, tag: str) -> str:
    """Read a mapping key that carries a tag."""
    return _name_key(_resolve_tagged(text, tag), text)


def type_of_key(text: str, tag: str | None) -> type:
    """Tell the type a key has before it becomes a string: Kubernetes keeps `1` beside `"1"`."""
    return type(_resolve(text) if tag is None else _resolve_tagged(text, tag))


def _resolve(text: str) -> Scalar:
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _NUMBER_STARTS:
        return _resolve_number(text)
    return text


def _resolve_number(text: str) -> Scalar:
    # A leading dot is read without the underscore rule.
    digits = text if text[0] == "." else text.replace("_", "")
    if (match := _INTEGER.fullmatch(digits)) and len(digits) <= _LONGEST_INTEGER:
        sign = match[1]
        base, magnitude = next(
            (base, group)
            for base, group in zip(_BASES, match.groups()[1:], strict=True)
            if group is not None
        )
        number = int(sign + magnitude, base)
        if number in _INT64 or (number in _UINT64 and not sign):
            return number
    if _FLOAT.fullmatch(digits) and math.isfinite(real := float(digits)):
        return real
    if (match := _LATE_BINARY.fullmatch(digits)) and len(digits) <= _LONGEST_INTEGER:
        number = int(match[1], 2)
        if number in _INT64:
            return number
    return text


def _resolve_tagged(text: str, tag: str) -> Scalar:
    if tag == STR_TAG:
        return text
    if tag == _BINARY_TAG:
        return _decode_binary(text)
    if tag not in _TYPES_OF_TAG:
        raise UnreadableScalar(
            f"the tag {short_tag(tag)} is unknown to Kubernetes",
            "Remove the tag, or quote the text if it belongs to it.",
        )
    value = _resolve(text)
    # A boolean is a Python integer, so types are compared, never instances.
    fits = type(value) in _TYPES_OF_TAG[tag]
    if fits and tag == _FLOAT_TAG:
        if isinstance(value, int):
            fits = value in _INT64
        if fits and value is not None:
            return float(value)
    if not fits:
        raise UnreadableScalar(
            f"{_quote(text)} is not a {short_tag(tag)}", "Correct the value, or remove the tag."
        )
    return value


def _decode_binary(text: str) -> str:
    import base64

    try:
        data = base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
        return data.decode()
    except ValueError as error:
        raise UnreadableScalar(
            f"{_quote(text)} is not base64 of text, as !!binary must be",
            "Write base64 as a plain string: Kubernetes decodes the fields that hold bytes.",
        ) from error


def _through_json(value: Scalar, text: str) -> Scalar:
    """Give a number the shape it has after `encoding/json` wrote it."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        raise UnreadableScalar(
            f"{text} is a number that JSON cannot hold", "Quote it if it is meant as text."
        )
    if not value.is_integer() or abs(value) >= _JSON_EXPONENT_FROM:
        return value
    if abs(value) < _EXACT_BELOW:
        return int(value)
    from decimal import Decimal

    # It writes the shortest digits that mean this float, not its exact value.
    return int(Decimal(repr(value)))


def _name_key(value: Scalar, text: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _format_float32(value)
    if value is None or value not in _INT64:
        kind = "null" if value is None else "a number beyond 64 bits"
        raise UnreadableScalar(f"{_quote(text)} is {kind} and cannot be a key", "Quote the key.")
    return str(value)


def _format_float32(value: float) -> str:
    """Write a float as Go's `strconv.FormatFloat(value, 'g', -1, 32)`, with YAML's infinities."""
    try:
        single: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        single = math.copysign(math.inf, value)
    if math.isnan(single):
        return ".nan"
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    for digits in range(1, _FLOAT32_DIGITS + 1):
        scientific = f"{single:.{digits - 1}e}"
        if struct.pack("<f", float(scientific)) == struct.pack("<f", single):
            break
    mantissa, _, exponent = scientific.partition("e")
    if _G_EXPONENT_BELOW <= int(exponent) < _G_EXPONENT_FROM:
        return f"{float(scientific):.{max(digits - 1 - int(exponent), 0)}f}"
    return f"{mantissa}e{int(exponent):+03d}"


def short_tag(tag: str) -> str:
    """Write a tag as people do: `!!int`."""
    return f"!!{tag.removeprefix(_TAG)}" if tag.startswith(_TAG) else tag


def _quote(text: str) -> str:
    return f"`{text}`" if len(text) <= _LONGEST_QUOTE else f"`{text[: _LONGEST_QUOTE - 3]}...`"
