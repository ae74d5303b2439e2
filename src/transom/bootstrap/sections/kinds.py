"""What a value of a cloud-config is called when it is told to people."""

from typing import Any

_NAMES = (
    (bool, "true or false"),
    (str, "text"),
    (bytes, "binary data"),
    (int, "a number"),
    (float, "a number"),
    (dict, "a mapping"),
    (list, "a list"),
    (type(None), "nothing"),
)


def kind_of(value: Any) -> str:
    """The kind in a word or two."""
    return next((name for kind, name in _NAMES if isinstance(value, kind)), type(value).__name__)
