"""A lock made, completed, updated and compared with what upstreams publish today."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from transom.errors import InternalError, TransomError, UsageError
from transom.fleet import pin
from transom.fleet.pin import FetcherFor, ProgressFor
from transom.model.fleet import Fleet
from transom.model.lock import Lock, LockKey
from transom.model.records import dataclass
from transom.recipe.lock import PinnableArtifact, apply_lock, unused
from transom.recipe.pinnable import artifacts_of
from transom.report.lock import LockReport
from transom.site import locks


@dataclass(frozen=True, kw_only=True)
class LockResult:
    """What became of a lock; what was pinned is kept where something else could not be: `failure` says why."""

    report: LockReport
    failure: TransomError | None = None


def update_lock(
    path: Path,
    pinnables: Sequence[PinnableArtifact],
    *,
    update: str | None,
    fetcher: FetcherFor | None,
    progress: ProgressFor,
) -> LockResult:
    """Pin what is missing, and again what `update` names: all of it where that is empty, nothing where it is None.

    Without a fetcher only files of this machine are pinned.
    """
    lock = locks.load(path)
    wanted = _to_pin(pinnables, lock, update)
    if fetcher is None:
        wanted = [pinnable for pinnable in wanted if pinnable.artifact.file]
    with tempfile.TemporaryDirectory(prefix="transom-lock-") as folder:
        pinned = pin.pin_all(
            wanted, fetcher=fetcher or _no_door, folder=Path(folder), progress=progress
        )
    after = lock.with_entries(pinned.entries).without(_to_drop(pinnables, lock, update))
    written = after != lock
    if written:
        locks.save(path, after)
    return LockResult(
        report=_report(pinnables, path, before=lock, after=after, written=written),
        failure=pin.failure_of(pinned.failures) if pinned.failures else None,
    )


def check_lock(
    path: Path, pinnables: Sequence[PinnableArtifact], fetcher: FetcherFor | None
) -> LockReport:
    """Compare the lock with the fleet, and with upstream where there is a fetcher; write nothing."""
    lock = locks.load(path)
    report = _report(pinnables, path, before=lock, after=lock, written=False)
    moved = pin.moved(pinnables, lock, fetcher=fetcher)
    return replace(report, differing=(*report.differing, *moved))


def complete_lock(path: Path, fleet: Fleet, fetcher: FetcherFor, progress: ProgressFor) -> Lock:
    """Give the lock with everything the fleet needs; what was missing is pinned and written down."""
    lock = locks.load(path)
    there = lock.by_key()
    missing = [item for item in pin.distinct(artifacts_of([fleet])) if item.key not in there]
    if not missing:
        return lock
    with tempfile.TemporaryDirectory(prefix="transom-pin-") as folder:
        found = pin.pin_all(missing, fetcher=fetcher, folder=Path(folder), progress=progress)
    lock = lock.with_entries(found.entries)
    locks.save(path, lock)
    if found.failures:
        raise UsageError(
            "artifacts could not be pinned", hint="name a mirror, or a lock that has them"
        ) from pin.failure_of(found.failures)
    return lock


def _report(
    pinnables: Sequence[PinnableArtifact], path: Path, *, before: Lock, after: Lock, written: bool
) -> LockReport:
    artifacts = [pinnable.artifact for pinnable in pinnables]
    locked = apply_lock(artifacts, after)
    return LockReport(
        file=str(path),
        written=written,
        before=before,
        after=after,
        missing=locked.missing,
        differing=locked.differing,
        unused=unused(artifacts, after),
    )


def _to_pin(
    pinnables: Sequence[PinnableArtifact], lock: Lock, update: str | None
) -> list[PinnableArtifact]:
    """What is missing, and what --update names."""
    names = sorted({pinnable.key.id for pinnable in pinnables})
    if update and update not in names:
        near = get_close_matches(update, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"they are {', '.join(names)}"
        raise UsageError(f"the fleet has no artifact {update!r}", hint=hint)
    entries = lock.by_key()
    return [
        pinnable
        for pinnable in pinnables
        if pinnable.key not in entries or update in ("", pinnable.key.id)
    ]


def _to_drop(
    pinnables: Sequence[PinnableArtifact], lock: Lock, update: str | None
) -> list[LockKey]:
    leftover = unused([pinnable.artifact for pinnable in pinnables], lock)
    return [entry.key for entry in leftover if update in ("", entry.id)]


def _no_door(pinnable: PinnableArtifact) -> pin.Fetcher:
    raise InternalError(f"offline, and yet {pinnable.key.id} was to be downloaded")
