"""A mistake before it has a place: the path to it, and what is wrong there."""

import re
from collections.abc import Sequence

from transom.model.records import dataclass

Path = tuple[str | int, ...]

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong at a path.

    `at_key` where the key is to blame, not its value; `meant` is the key it was probably to be,
    and `wanted` are the keys of which one would mend the fault.
    """

    path: Path
    message: str
    hint: str = ""
    at_key: bool = False
    meant: str = ""
    wanted: tuple[str, ...] = ()


def dotted(path: Sequence[str | int]) -> str:
    """A path as people write it: `spec.hosts[0].labels["example.com/tier"]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN_KEY.fullmatch(part):
            text += f".{part}" if text else part
        else:
            text += f'["{part}"]'
    return text
