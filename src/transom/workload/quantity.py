"""Kubernetes quantities such as 800Mi, 1.5 and 500m, as numbers, near enough to compare.

Reads what the API server accepts, and nothing else.
"""

import re
from typing import Any

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,2}))?")
_FACTORS = {
    "n": 1e-9,
    "u": 1e-6,
    "m": 1e-3,
    **{letter: 1000.0**power for power, letter in enumerate("kMGTPE", start=1)},
    **{f"{letter}i": 1024.0**power for power, letter in enumerate("KMGTPE", start=1)},
}

MEBIBYTE = 1024**2


def read_quantity(value: Any) -> float | None:
    """The number that a quantity stands for; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    match = _QUANTITY.fullmatch(str(value))
    if match is None:
        return None
    number, suffix, exponent = match.groups()
    factor: float = _FACTORS[suffix] if suffix else 10.0 ** int(exponent or 0)
    return float(number) * factor
