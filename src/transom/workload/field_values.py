"""Values of fields as Kubernetes and Windows read them: quantities, and paths inside containers.

Quantities such as 800Mi, 1.5 and 500m become numbers near enough to compare; what the API server
does not accept is none.
"""

import re
from typing import Any

_DRIVE = re.compile(r"[A-Za-z]:(.*)", re.DOTALL)
_PIPES = ("\\\\.\\pipe\\", "//./pipe/")

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,2}))?")
_FACTORS = {
    "n": 1e-9,
    "u": 1e-6,
    "m": 1e-3,
    **{letter: 1000.0**power for power, letter in enumerate("kMGTPE", start=1)},
    **{f"{letter}i": 1024.0**power for power, letter in enumerate("KMGTPE", start=1)},
}

MEBIBYTE = 1024**2


def windows_path(path: str) -> str:
    """The path in one form to compare by: backslashes, lower case, with its drive."""
    plain = path.replace("/", "\\").rstrip("\\").lower()
    return f"c:{plain}" if plain.startswith("\\") else plain


def is_pipe(path: str) -> bool:
    """Whether a path is the name of a pipe."""
    return path.lower().startswith(_PIPES)


def is_mountable(path: str) -> bool:
    """Whether the runtime can mount there: not at C: itself, and not behind a second colon.

    The kubelet puts C: before a path without a drive, and the root of C: before a relative one.
    """
    if is_pipe(path):
        return True
    if ":" not in path:
        return bool(path.strip("/\\"))
    drive = _DRIVE.fullmatch(path)
    if drive is None or ":" in drive[1]:
        return False
    return path[0].lower() != "c" or bool(drive[1].strip("/\\"))


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
