"""Pinning: an artifact's sum is learnt from whoever publishes it, and its bytes are checked by it.

The doors come in as values; this module opens none, prints nothing and
writes only into the folder it is given.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Protocol
from urllib.parse import unquote, urlsplit

from transom.errors import PermanentError, TemporaryError, TransomError, UsageError
from transom.model.lock import Lock, LockEntry, LockKey, SumFrom
from transom.model.records import dataclass
from transom.recipe.checksum import parse_checksum
from transom.recipe.lock import Difference, PinnableArtifact, has_credentials
from transom.recipe.sources import mirrored
from transom.remote.download import Progress
from transom.remote.file_sum import FileSum, hash_file
from transom.remote.https import NotThere, shown


class Fetcher(Protocol):
    """What pinning needs of a downloader."""

    def text(self, url: str) -> str:
        """A short text."""
        ...

    def file(
        self,
        url: str,
        destination: Path,
        *,
        sha256: str | None = None,
        progress: Progress | None = None,
    ) -> FileSum:
        """A file, refused unless it has that sum."""
        ...


FetcherFor = Callable[[PinnableArtifact], Fetcher]
"""The downloader for an artifact: fleets differ in their proxies."""

ProgressFor = Callable[[PinnableArtifact], Progress]
"""Whom to tell about an artifact's bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vouched:
    """A sum before any byte was seen; None where nobody gives one."""

    sha256: str | None
    sum_from: SumFrom
    sum_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """The entries that could be made, and why the others could not."""

    entries: tuple[LockEntry, ...]
    failures: tuple[tuple[LockKey, TransomError], ...]


def distinct(pinnables: Iterable[PinnableArtifact]) -> list[PinnableArtifact]:
    """One of each key, in the order of the lock: hosts of a fleet mostly need the same."""
    by_key: dict[LockKey, PinnableArtifact] = {}
    for pinnable in pinnables:
        by_key.setdefault(pinnable.key, pinnable)
    return [by_key[key] for key in sorted(by_key)]


def pin_all(
    pinnables: Sequence[PinnableArtifact],
    *,
    fetcher: FetcherFor,
    folder: Path,
    progress: ProgressFor,
) -> Pinned:
    """Pin each artifact; one that fails does not keep the others from being pinned."""
    entries: list[LockEntry] = []
    failures: list[tuple[LockKey, TransomError]] = []
    for pinnable in pinnables:
        try:
            entries.append(
                pin(pinnable, fetcher=fetcher, folder=folder, progress=progress(pinnable))
            )
        except TransomError as error:
            failures.append((pinnable.key, error))
    return Pinned(entries=tuple(entries), failures=tuple(failures))


def pin(
    pinnable: PinnableArtifact, *, fetcher: FetcherFor, folder: Path, progress: Progress
) -> LockEntry:
    """Learn the sum, get the bytes, check one by the other; the bytes are not kept."""
    refuse_credentials(pinnable)
    if pinnable.artifact.file:
        vouched, found = _own(pinnable), _hash_own(pinnable)
    else:
        door = fetcher(pinnable)
        vouched = vouch(pinnable, door)
        destination = folder / "download"
        url = mirrored(pinnable.artifact.url, pinnable.mirrors)
        found = door.file(url, destination, sha256=vouched.sha256, progress=progress)
        destination.unlink()
    return LockEntry(
        id=pinnable.key.id,
        version=pinnable.key.version,
        url=pinnable.key.url,
        sha256=found.sha256,
        size=found.size,
        sum_from=vouched.sum_from,
        sum_url=vouched.sum_url,
    )


def vouch(pinnable: PinnableArtifact, door: Fetcher) -> Vouched:
    """Who vouches for an artifact: the fleet, its upstream, its mirror, or nobody."""
    if pinnable.artifact.sha256 is not None:
        return _own(pinnable)
    if not pinnable.checksum_url:
        return Vouched(sha256=None, sum_from=SumFrom.FIRST_USE)
    url = mirrored(pinnable.checksum_url, pinnable.mirrors)
    is_mirror = url != pinnable.checksum_url
    try:
        text = door.text(url)
    except NotThere:
        # Mirrors often carry only the files; an upstream that publishes sums must have them.
        if is_mirror:
            return Vouched(sha256=None, sum_from=SumFrom.FIRST_USE)
        raise
    name = PurePosixPath(unquote(urlsplit(pinnable.artifact.url).path)).name
    try:
        sha256 = parse_checksum(text, name)
    except ValueError as error:
        raise PermanentError(
            f"cannot use the sums of {shown(url)}: {error}",
            subject=shown(url),
            hint="give the artifact's sha256 as an override in the fleet",
        ) from error
    source = SumFrom.MIRROR if is_mirror else SumFrom.PUBLISHED
    return Vouched(sha256=sha256, sum_from=source, sum_url=url)


def moved(
    pinnables: Iterable[PinnableArtifact], lock: Lock, *, fetcher: FetcherFor | None
) -> list[Difference]:
    """The entries whose sum is another today; without a fetcher only local files are looked at."""
    entries = lock.by_key()
    found: list[Difference] = []
    for pinnable in pinnables:
        entry = entries.get(pinnable.key)
        if entry is None:
            continue
        refuse_credentials(pinnable)
        sha256, said_by = _sum_today(pinnable, fetcher)
        if sha256 not in (None, entry.sha256):
            found.append(Difference(entry=entry, sha256=sha256 or "", said_by=said_by))
    return found


def failure_of(failures: Sequence[tuple[LockKey, TransomError]]) -> TransomError:
    """All failures as one error, of the kind that the worst of them is."""
    errors = [error for _, error in failures]
    if len(errors) == 1:
        return errors[0]
    lines = [f"\n  {key.id} {key.version}: {error.message}" for key, error in failures]
    message = f"{len(errors)} artifacts could not be pinned:{''.join(lines)}"
    hint = next((error.hint for error in errors if error.hint), "")
    for kind in (PermanentError, UsageError):
        if any(isinstance(error, kind) for error in errors):
            return kind(message, hint=hint)
    return TemporaryError(message, hint=hint)


def refuse_credentials(pinnable: PinnableArtifact) -> None:
    """Refuse addresses with a secret before one of them reaches a file or a message."""
    for url in (pinnable.artifact.url, pinnable.checksum_url, *pinnable.mirrors.values()):
        try:
            secret = has_credentials(url)
        except ValueError as error:
            raise UsageError(f"an address of {pinnable.key.id} is not a URL") from error
        if secret:
            raise UsageError(
                f"an address of {pinnable.key.id} carries credentials: {shown(url)}",
                subject=pinnable.artifact.why,
                hint="leave them out and give a header from the environment with --header",
            )


def _own(pinnable: PinnableArtifact) -> Vouched:
    sha256 = pinnable.artifact.sha256
    return Vouched(sha256=sha256, sum_from=SumFrom.OVERRIDE if sha256 else SumFrom.FIRST_USE)


def _path(pinnable: PinnableArtifact) -> Path:
    return Path(pinnable.directory, Path(pinnable.artifact.file).expanduser())


def _hash_own(pinnable: PinnableArtifact) -> FileSum:
    path, wanted = _path(pinnable), pinnable.artifact.sha256
    found = hash_file(path)
    if wanted is not None and found.sha256 != wanted:
        raise PermanentError(
            f"{path} has the SHA-256 {found.sha256}, not {wanted} as the fleet says",
            subject=pinnable.artifact.why,
        )
    return found


def _sum_today(pinnable: PinnableArtifact, fetcher: FetcherFor | None) -> tuple[str | None, str]:
    if pinnable.artifact.file:
        return hash_file(_path(pinnable)).sha256, pinnable.key.url
    if fetcher is None or pinnable.artifact.sha256 is not None:
        return None, ""
    vouched = vouch(pinnable, fetcher(pinnable))
    return vouched.sha256, vouched.sum_url
