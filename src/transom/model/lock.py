"""The lock: which bytes each artifact is, pinned once and the same for everybody after.

Made by `transom lock`, kept beside the fleet as `transom.lock`; read by whatever uses artifacts.
An entry is about the bytes, not about the road they took: mirrors change no entry. What a fleet leaves open
is chosen once and stands here too, so that a newer Transom with newer facts changes no node by itself.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum

from transom.model import records
from transom.model.recipe import Artifact
from transom.model.version import Version

FILE_SCHEME = "file:"
IMAGE = "image"
"""The id of a container image's entry: its version is the reference, its sum the index's digest."""


class SumFrom(Enum):
    """Who vouches for a sum, the strongest first.

    A first-use sum only says that the bytes stay the same as when they were first seen.
    """

    OVERRIDE = "override"
    PUBLISHED = "published"
    MIRROR = "mirror"
    FIRST_USE = "first-use"


@dataclass(frozen=True, slots=True, order=True)
class LockKey:
    """What an entry is found by: another version or another address is another entry."""

    id: str
    version: str
    url: str


@records.dataclass(frozen=True, slots=True, kw_only=True)
class LockEntry:
    """One artifact's bytes: `url` is upstream's address, or `file:` and the path in the fleet.

    `sum_url` is where the sum was read, and empty where nobody published one.
    """

    id: str
    version: str
    url: str
    sha256: str
    size: int
    sum_from: SumFrom
    sum_url: str = ""

    @property
    def key(self) -> LockKey:
        """What this entry is found by."""
        return LockKey(self.id, self.version, self.url)


@dataclass(frozen=True, slots=True, order=True)
class Default:
    """One thing that a fleet left open, what was chosen for it, and the fact that it was chosen by.

    `kubernetes` is the minor that it was chosen for, empty where that does not matter.
    """

    name: str
    value: str
    why: str
    kubernetes: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What it is found by."""
        return self.name, self.kubernetes


@records.dataclass(frozen=True, slots=True)
class FleetSection:
    """What one fleet has in the lock: the defaults chosen for it, and the addresses of its artifacts."""

    name: str
    defaults: tuple[Default, ...] = ()
    artifacts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        by_key = {default.key: default for default in self.defaults}
        object.__setattr__(self, "defaults", tuple(by_key[key] for key in sorted(by_key)))
        object.__setattr__(self, "artifacts", tuple(sorted(set(self.artifacts))))


@records.dataclass(frozen=True, slots=True)
class Lock:
    """Entries in the order of their keys, each key once; the last of equal keys stays.

    Fleets stand in the order of their names, each once, by the same rule.
    """

    entries: tuple[LockEntry, ...] = field(default=())
    fleets: tuple[FleetSection, ...] = field(default=())

    def __post_init__(self) -> None:
        by_key = {entry.key: entry for entry in self.entries}
        ordered = tuple(by_key[key] for key in sorted(by_key))
        object.__setattr__(self, "entries", ordered)
        by_name = {section.name: section for section in self.fleets}
        object.__setattr__(self, "fleets", tuple(by_name[name] for name in sorted(by_name)))

    def section(self, fleet: str) -> FleetSection | None:
        """What a fleet has in the lock; None where it was never locked, or only by an older Transom."""
        return next((section for section in self.fleets if section.name == fleet), None)

    def defaults_of(self, fleet: str) -> tuple[Default, ...]:
        """The defaults that were chosen for a fleet."""
        section = self.section(fleet)
        return section.defaults if section else ()

    def with_sections(self, sections: Iterable[FleetSection]) -> "Lock":
        """The lock with these sections in place of those of the same fleets."""
        return replace(self, fleets=(*self.fleets, *sections))

    def by_key(self) -> dict[LockKey, LockEntry]:
        """The entries by their keys."""
        return {entry.key: entry for entry in self.entries}

    def with_entries(self, entries: Iterable[LockEntry]) -> "Lock":
        """The lock with these entries added, in place of those with the same keys."""
        return replace(self, entries=(*self.entries, *entries))

    def without(self, keys: Iterable[LockKey]) -> "Lock":
        """The lock without the entries of these keys."""
        gone = set(keys)
        kept = tuple(entry for entry in self.entries if entry.key not in gone)
        return replace(self, entries=kept)


def key_of(artifact: Artifact) -> LockKey:
    """The key of an artifact's entry; a local file is named as the fleet names it."""
    url = FILE_SCHEME + artifact.file if artifact.file else artifact.url
    return LockKey(artifact.id, artifact.version, url)


def kept_default(
    locked: Iterable[Default], name: str, kubernetes: Version, offered: Callable[[Version], str]
) -> str:
    """What a lock has by a name for a version of Kubernetes; empty where it has nothing to say.

    A choice for another minor holds where the facts of today make no difference between the two: then only
    the facts have moved. Where they do, the new minor needs another choice.
    """
    known = [item for item in locked if item.name == name]
    for item in known:
        if item.kubernetes in ("", kubernetes.minor_text):
            return item.value
    today = offered(kubernetes) if known else ""
    for item in sorted(known, key=lambda item: Version.parse(item.kubernetes), reverse=True):
        if offered(Version.parse(item.kubernetes)) == today:
            return item.value
    return ""
