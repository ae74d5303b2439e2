"""Paths of API fields as people write them, and which of them exist.

A path is brought to one form: no positions in lists, no pod template around it,
one name for all containers, no capitals.
"""

import re
from fnmatch import fnmatchcase
from functools import cache, lru_cache

from transom.facts.api import Kind
from transom.facts.describe import Explanation
from transom.facts.rows import read
from transom.facts.rules import Rule

POD = "pod"

# Types that people write as if they were kinds, and where a pod has them.
_TYPES = {
    "container": "spec.containers.",
    "podsecuritycontext": "spec.securitycontext.",
    "podspec": "spec.",
}


def place(wanted: str) -> tuple[str, str]:
    """The kind that is meant, empty where none is named, and the path in it."""
    first, _, below = wanted.removeprefix("v1.").partition(".")
    if first in _TYPES and below:
        path = _TYPES[first] + below.replace("resourcerequirements.", "resources.")
        return POD, canonical(path)
    kind = _kinds().get(first, "")
    if not kind:
        return "", canonical(wanted)
    path = canonical(below)
    # `pod.hostNetwork` has always been said for `pod.spec.hostNetwork`.
    is_short = kind == POD and path and path.partition(".")[0] not in _tops()
    return kind, f"spec.{path}" if is_short else path


@lru_cache(maxsize=4096)
def canonical(path: str) -> str:
    """The path without list positions, quoted keys and templates, one name for all containers."""
    path = re.sub(r"\['([^']*)'\]", r".\1", path)
    path = re.sub(r"\[[0-9*]*\]", "", path)
    path = path.removeprefix("spec.jobtemplate.").removeprefix("spec.template.")
    path = path.removeprefix("template.")
    return re.sub(r"\b(init|ephemeral)containers\b", "containers", path).strip(".")


def has_pod(kind: str) -> bool:
    """Whether objects of the kind are a pod, or have one in them."""
    return kind in _with_pods()


def field(query: str) -> list[Explanation]:
    """A field of the API that no rule is about, told from something that does not exist."""
    kind, path = place(query.casefold())
    for row in read(Kind) if path else ():
        name = row.name.casefold()
        if kind not in ("", name) and not (name == POD and has_pod(kind)):
            continue
        known = zip(row.fields, _fields(name), strict=True)
        found = [written for written, one in known if is_field(path, one)]
        if found:
            return [_without_difference(row, _as_written(path, min(found, key=len)))]
    return []


def is_field(path: str, known: str) -> bool:
    """Whether a path is that of a known field, of what holds it, or its last name alone."""
    if "." not in path:
        return known == path or known.endswith(f".{path}")
    return path == known or known.startswith(f"{path}.") or fnmatchcase(path, known)


def _as_written(path: str, written: str) -> str:
    """The path with the capitals that the field is written with."""
    if "." not in path:
        return written
    return ".".join(
        mine if theirs == "*" else theirs
        for mine, theirs in zip(path.split("."), written.split("."), strict=False)
    )


def _without_difference(row: Kind, path: str) -> Explanation:
    name = f"{row.name}.{path}"
    return Explanation(
        id=name,
        kind="API field",
        title=name,
        what=("No difference on Windows is known.",),
        source=row.source,
        checked=row.checked,
        confidence=row.confidence,
    )


@cache
def _kinds() -> dict[str, str]:
    """Every name of a kind that rules or the API have, with the one that is used here."""
    names = {name.casefold(): name.casefold() for rule in read(Rule) for name in rule.kinds}
    for row in read(Kind):
        names |= dict.fromkeys((row.name.casefold(), *row.short), row.name.casefold())
    return names


@cache
def _fields(kind: str) -> tuple[str, ...]:
    (row,) = (row for row in read(Kind) if row.name.casefold() == kind)
    return tuple(canonical(written.casefold()) for written in row.fields)


@cache
def _tops() -> frozenset[str]:
    return frozenset(known.partition(".")[0] for known in _fields(POD))


@cache
def _with_pods() -> frozenset[str]:
    holders = (row for row in read(Kind) if any(one.endswith("emplate") for one in row.fields))
    return frozenset((POD, *(row.name.casefold() for row in holders)))
