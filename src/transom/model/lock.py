"""The lock: which bytes each artifact is, pinned once and the same for everybody after.

Made by `transom lock`, kept beside the fleet as `transom.lock`; read by whatever uses artifacts.
An entry is about the bytes, not about the road they took: mirrors change no entry.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from transom.model import records
from transom.model.recipe import Artifact

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


@records.dataclass(frozen=True, slots=True)
class Lock:
    """Entries in the order of their keys, each key once; the last of equal keys stays."""

    entries: tuple[LockEntry, ...] = field(default=())

    def __post_init__(self) -> None:
        by_key = {entry.key: entry for entry in self.entries}
        ordered = tuple(by_key[key] for key in sorted(by_key))
        object.__setattr__(self, "entries", ordered)

    def by_key(self) -> dict[LockKey, LockEntry]:
        """The entries by their keys."""
        return {entry.key: entry for entry in self.entries}

    def with_entries(self, entries: Iterable[LockEntry]) -> "Lock":
        """The lock with these entries added, in place of those with the same keys."""
        return Lock((*self.entries, *entries))

    def without(self, keys: Iterable[LockKey]) -> "Lock":
        """The lock without the entries of these keys."""
        gone = set(keys)
        return Lock(tuple(entry for entry in self.entries if entry.key not in gone))


def key_of(artifact: Artifact) -> LockKey:
    """The key of an artifact's entry; a local file is named as the fleet names it."""
    url = FILE_SCHEME + artifact.file if artifact.file else artifact.url
    return LockKey(artifact.id, artifact.version, url)
