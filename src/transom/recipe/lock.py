"""What a lock means for artifacts: which are pinned, which are not, and from where they come.

Pure: reads no file and reaches for nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from urllib.parse import parse_qsl, urlsplit

from transom.errors import UsageError
from transom.model.lock import IMAGE, Lock, LockEntry, LockKey, key_of
from transom.model.recipe import Artifact
from transom.model.records import dataclass
from transom.recipe.sources import mirrored

# Query parameters that grant access to whoever holds the URL.
_SECRET_PARAMETERS = frozenset(
    (
        "access_token",
        "api_key",
        "apikey",
        "password",
        "sig",
        "signature",
        "token",
        "x-amz-security-token",
        "x-amz-signature",
        "x-goog-signature",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnableArtifact:
    """An artifact as upstream offers it, and how its fleet wants it fetched.

    `checksum_url` is where upstream publishes its sum, empty where it does not. `directory` is
    what the path of a local file is relative to.
    """

    artifact: Artifact
    checksum_url: str = ""
    mirrors: Mapping[str, str] = field(default_factory=dict)
    proxy: str = ""
    no_proxy: tuple[str, ...] = ()
    directory: str = ""

    @property
    def key(self) -> LockKey:
        """The key of its entry in a lock."""
        return key_of(self.artifact)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A sum that is not the one the lock has, and who says so."""

    entry: LockEntry
    sha256: str
    said_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """Artifacts with the sums of a lock.

    Missing ones keep what the fleet says itself; those with two different sums have none.
    """

    artifacts: tuple[Artifact, ...]
    missing: tuple[LockKey, ...] = ()
    differing: tuple[Difference, ...] = ()


def apply_lock(
    artifacts: Iterable[Artifact], lock: Lock, *, mirrors: Mapping[str, str] | None = None
) -> Locked:
    """Give each artifact the sum its entry has; name those that have none, or another.

    With the `mirrors` of their fleet, artifacts whose addresses are at a mirror are found too.
    """
    entries = {
        replace(entry.key, url=mirrored(entry.url, mirrors or {})): entry for entry in lock.entries
    }
    done: list[Artifact] = []
    missing: list[LockKey] = []
    differing: list[Difference] = []
    for artifact in artifacts:
        entry, own = entries.get(key_of(artifact)), artifact.sha256
        if entry is None:
            missing.append(key_of(artifact))
            done.append(artifact)
        elif own is not None and own != entry.sha256:
            said_by = f"the fleet ({artifact.why})"
            differing.append(Difference(entry=entry, sha256=own, said_by=said_by))
            done.append(replace(artifact, sha256=None))
        else:
            done.append(replace(artifact, sha256=entry.sha256))
    return Locked(artifacts=tuple(done), missing=tuple(missing), differing=tuple(differing))


def pinned(
    artifacts: Iterable[Artifact], lock: Lock, *, mirrors: Mapping[str, str] | None = None
) -> tuple[Artifact, ...]:
    """The artifacts with their sums, for use; refuse all of them if one is not locked."""
    locked = apply_lock(artifacts, lock, mirrors=mirrors)
    named = [f"{key.id} {key.version} ({key.url})" for key in sorted(set(locked.missing))]
    if named:
        images = " --images" if any(key.id == IMAGE for key in locked.missing) else ""
        raise UsageError(
            f"{len(named)} of the artifacts are not in the lock: {', '.join(named)}",
            hint=f"`transom lock{images} -f` with this fleet adds them, with --to VERSION those of an"
            " upgrade; make a bundle anew after it",
        )
    if locked.differing:
        ids = sorted({difference.entry.id for difference in locked.differing})
        raise UsageError(
            f"the fleet and the lock name different sums for {', '.join(ids)}",
            hint="find out which is right; then `transom lock --update NAME` takes the fleet's",
        )
    return locked.artifacts


def unused(artifacts: Iterable[Artifact], lock: Lock) -> tuple[LockEntry, ...]:
    """The entries that none of these artifacts needs; images are pinned by bundles, not by fleets."""
    needed = {key_of(artifact) for artifact in artifacts}
    return tuple(entry for entry in lock.entries if entry.key not in needed and entry.id != IMAGE)


def has_credentials(url: str) -> bool:
    """Whether a URL carries a secret, which no file and no message may show."""
    parts = urlsplit(url)
    names = {name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    return "@" in parts.netloc or bool(names & _SECRET_PARAMETERS)
