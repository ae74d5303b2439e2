"""Settings over three levels: defaults, then the pool, then the host; and what a level takes away."""

from collections.abc import Iterator, Mapping
from typing import Any

from transom.spec.fault import Fault, Path
from transom.spec.shape import merge
from transom.spec.shapes.host import SETTINGS


def laid_over(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a level over those it inherits, without the ones that it unsets."""
    inherited = dict(base)
    for pointer in over.get("unset", ()):
        inherited = _without(inherited, keys_of(pointer))
    own = {key: value for key, value in over.items() if key != "unset"}
    merged: dict[str, Any] = merge(SETTINGS, inherited, own)
    return merged


def unset_faults(base: Mapping[str, Any], over: Mapping[str, Any], path: Path) -> Iterator[Fault]:
    """A fault for each pointer that leads to nothing inherited: nothing would be taken away."""
    pointers = over.get("unset")
    for index, pointer in enumerate(pointers if isinstance(pointers, list) else ()):
        if not isinstance(pointer, str) or not pointer.startswith("/"):
            continue
        if not _leads_somewhere(base, keys_of(pointer)):
            yield Fault(
                (*path, "unset", index),
                f"nothing is inherited at `{pointer}`",
                "Remove the pointer, or correct it: `/labels/example.com~1tier` is the label "
                "`example.com/tier`.",
            )


def keys_of(pointer: str) -> tuple[str, ...]:
    """The keys of a JSON pointer."""
    return tuple(
        part.replace("~1", "/").replace("~0", "~") for part in pointer.removeprefix("/").split("/")
    )


def _without(base: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    first, *rest = keys
    if not rest:
        return {key: value for key, value in base.items() if key != first}
    if not isinstance(base.get(first), dict):
        return dict(base)
    below = _without(base[first], tuple(rest))
    # A map that is empty now says no more than one that was never written.
    return {key: value for key, value in base.items() if key != first} | (
        {first: below} if below else {}
    )


def _leads_somewhere(base: Any, keys: tuple[str, ...]) -> bool:
    for key in keys:
        if not isinstance(base, dict) or key not in base:
            return False
        base = base[key]
    return True
