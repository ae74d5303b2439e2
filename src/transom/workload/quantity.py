"""Kubernetes quantities such as 800Mi, 1.5 and 500m, as numbers.

Called by rules about resources. Reads what the API server accepts, and nothing else.
"""

import re
from fractions import Fraction
from typing import Any

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,3}))?")
_FACTORS = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    **{letter: Fraction(1000**power) for power, letter in enumerate("kMGTPE", start=1)},
    **{f"{letter}i": Fraction(1024**power) for power, letter in enumerate("KMGTPE", start=1)},
}

MEBIBYTE = 1024**2


def read_quantity(value: Any) -> Fraction | None:
    """The number that a quantity stands for; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    match = _QUANTITY.fullmatch(str(value))
    if match is None:
        return None
    number, suffix, exponent = match.groups()
    factor = _FACTORS[suffix] if suffix else Fraction(10) ** int(exponent or 0)
    return Fraction(number) * factor
