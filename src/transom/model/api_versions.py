"""Which version of which group each kind of document has: those that are read, and the one that is written.

A group is what changes together: documents that people write and commit, what only their own machine
knows, what `-o json` prints, and what the node program reads and writes. Standard library only: it ships
to hosts.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from transom import __version__

DOCUMENTS = "transom.dev"
CLIENT = "client.transom.dev"
OUTPUT = "output.transom.dev"
NODE = "node.transom.dev"

# What every kind was written as before groups were told apart. It is read for ever: journals and images have it.
FIRST = "transom.dev/v1alpha1"


class Versions(NamedTuple):
    """The versions of one kind; `read` has the newest first, and `written` is one of them."""

    written: str
    read: tuple[str, ...]

    @property
    def group(self) -> str:
        """The group it is written in."""
        return self.written.partition("/")[0]

    @property
    def version(self) -> str:
        """The version it is written in, without its group."""
        return self.written.partition("/")[2]


class UnknownVersionError(ValueError):
    """A document of a version or kind that this Transom does not read."""


def _one(group: str, *kinds: str) -> dict[str, Versions]:
    """Kinds of a group that were all written as `FIRST` before."""
    written = f"{group}/v1alpha1"
    return {kind: Versions(written, (written, FIRST)) for kind in kinds}


KINDS: Mapping[str, Versions] = {
    "Fleet": Versions(f"{DOCUMENTS}/v1alpha2", (f"{DOCUMENTS}/v1alpha2", FIRST)),
    "WindowsHost": Versions(f"{DOCUMENTS}/v1alpha2", (f"{DOCUMENTS}/v1alpha2",)),
    "Client": Versions(f"{CLIENT}/v1alpha1", (f"{CLIENT}/v1alpha1",)),
    "Lock": Versions(f"{DOCUMENTS}/v1alpha2", (f"{DOCUMENTS}/v1alpha2", FIRST)),
    "Baseline": Versions(FIRST, (FIRST,)),
    **_one(
        NODE,
        "BootReport",
        "Bundle",
        "Collected",
        "Collection",
        "CommandResult",
        "Event",
        "Failure",
        "Given",
        "ImageProvenance",
        "Inventory",
        "Journal",
        "Leftovers",
        "NodeEntry",
        "NodeStatus",
        "Observation",
        "Order",
        "Plan",
        "Recipe",
        "Request",
        "Result",
        "SelfTest",
        "Survey",
    ),
    **_one(
        OUTPUT,
        "AddonChanges",
        "AdoptResult",
        "BootStory",
        "CollectResult",
        "Error",
        "Explanation",
        "Facts",
        "FactsMatrix",
        "Findings",
        "FleetPlan",
        "FleetResult",
        "FleetStatus",
        "GateReport",
        "GridSummary",
        "ImageValidation",
        "ImportResult",
        "JoinResult",
        "LockReport",
        "NameReport",
        "PackResult",
        "PublishedImages",
        "RecipeList",
        "ResetResult",
        "RuleList",
        "UpgradeResult",
        "UpstreamTests",
        "VerifyPlan",
        "VerifyResult",
    ),
}


def written(kind: str) -> str:
    """The apiVersion that a kind is written with."""
    return KINDS[kind].written


def check(kind: str, document: Mapping[str, Any]) -> None:
    """Raise UnknownVersionError where a document says that it is something else than this kind as it is read here."""
    said, found = document.get("kind", kind), document.get("apiVersion", written(kind))
    if said != kind:
        raise UnknownVersionError(f"is a {_shown(found)} {_shown(said)}, not a {kind}")
    versions = KINDS[kind]
    if found in versions.read:
        return
    reads = f"this one reads {' and '.join(versions.read)}"
    if not is_newer(found, versions):
        raise UnknownVersionError(f"is a {_shown(found)} {kind}; {reads}")
    raise UnknownVersionError(
        f"was written by a newer Transom ({found}); {reads}; install {_needed(document)}"
    )


def is_newer(found: object, versions: Versions) -> bool:
    """Whether an apiVersion is of a kind's own groups, and newer there than all that are read."""
    group, _, version = str(found).partition("/")
    age = _age(version)
    known = [_age(item.partition("/")[2]) for item in versions.read if item.startswith(f"{group}/")]
    return isinstance(found, str) and bool(age and known) and age > max(known)


def _age(version: str) -> tuple[int, ...]:
    """A version by its age: v1alpha1, v1alpha2, v1beta1, v1, v2alpha1; empty where it is none."""
    parts = re.fullmatch(r"v([1-9]\d{0,3})(?:(alpha|beta)([1-9]\d{0,3}))?", version, re.ASCII)
    if parts is None:
        return ()
    major, stage, minor = parts.groups()
    return int(major), ("alpha", "beta", None).index(stage), int(minor or 0)


def _needed(document: Mapping[str, Any]) -> str:
    """Which Transom reads it: the one that wrote it, where the document says that."""
    by = document.get("transom")
    if isinstance(by, str) and re.fullmatch(r"\d{1,4}(\.\d{1,4}){1,3}", by, re.ASCII):
        return f"Transom {by} or newer"
    return f"a Transom newer than {__version__}"


def _shown(said: object) -> str:
    """What a document calls itself, for a message: it is foreign text."""
    return str(said)[:80] if isinstance(said, str) and said.isprintable() else "nameless"
