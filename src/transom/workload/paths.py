"""Paths of rules: read once, then followed quickly through many objects.

`spec.volumes[*].emptyDir.medium` goes through every item of a list, `spec.volumes[*].*.items`
through every key, `metadata.annotations['a.b/c']` through a key with dots, and
`limits['hugepages-*']` through every key that begins so.
"""

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

ObjectPath = tuple[str | int, ...]


class Wild(Enum):
    """Steps that stand for several."""

    ITEM = "[*]"
    KEY = "*"


class KeyPrefix(NamedTuple):
    """Every key that begins so."""

    prefix: str


Step = str | Wild | KeyPrefix

_STEP = re.compile(r"(?:^|\.)([^.\[\]]+)|(\[\*\])|\['([^']+)'\]")


def parse(path: str) -> tuple[Step, ...]:
    """Read a path; raise ValueError where it is none."""
    steps: list[Step] = []
    end = 0
    for match in _STEP.finditer(path):
        if match.start() != end:
            break
        end = match.end()
        name, item, quoted = match.groups()
        if item:
            steps.append(Wild.ITEM)
        elif quoted is not None:
            steps.append(KeyPrefix(quoted[:-1]) if quoted.endswith("*") else quoted)
        else:
            steps.append(Wild.KEY if name == "*" else name)
    if end != len(path) or not steps:
        raise ValueError(f"{path!r} is not a path such as spec.volumes[*].hostPath.path")
    return tuple(steps)


def text_of(path: ObjectPath) -> str:
    """Write a path as people do, with keys quoted where they have dots."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif "." in step or "/" in step:
            parts.append(f"['{step}']")
        else:
            parts.append(f".{step}" if parts else step)
    return "".join(parts)


def owners(value: Any, steps: tuple[Step, ...], path: ObjectPath) -> Iterator[tuple[Any, Any]]:
    """Follow a path whose end may be missing.

    Gives the path and value (None where absent) of every end that its lists make possible.
    """
    if not steps:
        yield path, value
        return
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        child = value.get(step) if isinstance(value, dict) else None
        yield from owners(child, rest, (*path, step))
    elif step is Wild.ITEM:
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from owners(item, rest, (*path, index))
    elif isinstance(value, dict):
        prefix = step.prefix if isinstance(step, KeyPrefix) else ""
        for key, item in value.items():
            if key.startswith(prefix):
                yield from owners(item, rest, (*path, key))
