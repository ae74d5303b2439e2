"""A lock made, completed, updated and compared with what upstreams publish today."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from transom.errors import InternalError, TransomError, UsageError
from transom.fleet import pin
from transom.fleet.pin import FetcherFor, ProgressFor
from transom.fleet.planning.recipe_changes import StepChange, changes_between, disruption_of
from transom.model.disruption import Disruption
from transom.model.fleet import Fleet
from transom.model.lock import Default, FleetSection, Lock, LockKey
from transom.model.records import dataclass
from transom.model.version import Version
from transom.recipe.defaults import defaults_of, names_of, newer
from transom.recipe.lock import PinnableArtifact, apply_lock, unused
from transom.recipe.pinnable import artifacts_of
from transom.recipe.resolve import resolve
from transom.report.lock import DefaultChange, LockReport
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
    fleets: Sequence[Fleet] = (),
) -> LockResult:
    """Pin what is missing, and again what `update` names: all of it where that is empty, nothing where it is None.

    The defaults of `fleets` are recorded. Without a fetcher only files of this machine are pinned.
    """
    lock = locks.load(path)
    wanted = _to_pin(pinnables, lock, update, defaults=names_of(fleets))
    if fetcher is None:
        wanted = [pinnable for pinnable in wanted if pinnable.artifact.file]
    with tempfile.TemporaryDirectory(prefix="transom-lock-") as folder:
        pinned = pin.pin_all(
            wanted, fetcher=fetcher or _no_door, folder=Path(folder), progress=progress
        )
    own = {fleet.name for fleet in fleets}
    others = [section for section in lock.fleets if section.name not in own]
    theirs = {address for section in others for address in section.artifacts}
    gone = [key for key in _to_drop(pinnables, lock, update) if key.url not in theirs]
    after = lock.with_entries(pinned.entries).without(gone)
    after = after.with_sections(sections_of(fleets, after, pinnables))
    written = after != lock
    if written:
        locks.save(path, after)
    return LockResult(
        report=replace(
            _report(pinnables, path, before=lock, after=after, written=written),
            defaults=tuple(change for fleet in fleets for change in changed_defaults(fleet, lock)),
            newer=tuple(item for fleet in fleets for item in newer(fleet)),
        ),
        failure=pin.failure_of(pinned.failures) if pinned.failures else None,
    )


def check_lock(
    path: Path,
    pinnables: Sequence[PinnableArtifact],
    fetcher: FetcherFor | None,
    *,
    fleets: Sequence[Fleet] = (),
) -> LockReport:
    """Compare the lock with the fleet, and with upstream where there is a fetcher; write nothing."""
    lock = locks.load(path)
    report = _report(pinnables, path, before=lock, after=lock, written=False)
    moved = pin.moved(pinnables, lock, fetcher=fetcher)
    return replace(
        report,
        differing=(*report.differing, *moved),
        newer=tuple(item for fleet in fleets for item in newer(fleet)),
        unrecorded=tuple(change for fleet in fleets for change in changed_defaults(fleet, lock)),
    )


def sections_of(
    fleets: Sequence[Fleet], lock: Lock, pinnables: Sequence[PinnableArtifact]
) -> Iterator[FleetSection]:
    """The section of each fleet; the same fleet may come at several versions."""
    for name in dict.fromkeys(fleet.name for fleet in fleets):
        parts = [section_of(fleet, lock, pinnables) for fleet in fleets if fleet.name == name]
        yield FleetSection(
            name,
            tuple(item for part in parts for item in part.defaults),
            tuple(address for part in parts for address in part.artifacts),
        )


def section_of(
    fleet: Fleet, lock: Lock, pinnables: Sequence[PinnableArtifact] = ()
) -> FleetSection:
    """What the lock is to have of a fleet: all that it leaves open, and the addresses of its artifacts.

    What was chosen before keeps the fact that it was chosen by.
    """
    there = lock.section(fleet.name)
    known = {(*item.key, item.value): item for item in fleet.locked}
    chosen = [known.get((*item.key, item.value), item) for item in defaults_of(fleet)]
    now = {item.kubernetes for item in chosen if item.kubernetes}
    # What was chosen with --to for an upgrade to come.
    later = [item for item in fleet.locked if now and _age(item) > max(map(_age, chosen))]
    needed = {item.key for item in artifacts_of([fleet])}
    # A local file is named in the fleet's own way, wherever the fleet is read from.
    own = {item.key.url for item in pinnables if item.key in needed}
    # What an upgrade to come needs is locked with --to, and stays the fleet's.
    kept = {*there.artifacts} & {entry.url for entry in lock.entries} if there else set[str]()
    return FleetSection(fleet.name, (*chosen, *later), (*own, *kept))


def _age(item: Default) -> Version:
    return Version.parse(item.kubernetes or "0.0")


def changed_defaults(fleet: Fleet, lock: Lock) -> Iterator[DefaultChange]:
    """Every default that is not what the lock has, with what taking it alone does to nodes in use."""
    before = lock.defaults_of(fleet.name)
    for item in defaults_of(fleet):
        known = [old.value for old in before if old.key == item.key]
        was = known[0] if known else ""
        if was == item.value:
            continue
        steps = _effect(fleet, before, item) if was else ()
        yield DefaultChange(
            fleet=fleet.name,
            name=item.name,
            was=was,
            now=item.value,
            why=item.why,
            disruption=disruption_of(steps).value,
            steps=tuple(step.step.value for step in steps),
        )


def _effect(fleet: Fleet, before: tuple[Default, ...], item: Default) -> tuple[StepChange, ...]:
    """What one other default does to the hosts that notice it most."""
    try:
        others = tuple(old for old in before if old.key != item.key)
        was = resolve(replace(fleet, locked=before))
        now = resolve(replace(fleet, locked=(*others, item)))
    except TransomError:
        return ()  # one alone does not go with the rest: the plan of all of them is what counts
    found = [changes_between(old, new) for old, new in zip(was, now, strict=True)]
    return max(found, key=lambda steps: [*Disruption].index(disruption_of(steps)), default=())


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
    pinnables: Sequence[PinnableArtifact],
    lock: Lock,
    update: str | None,
    *,
    defaults: Sequence[str] = (),
) -> list[PinnableArtifact]:
    """What is missing, and what --update names."""
    names = sorted({*defaults, *(pinnable.key.id for pinnable in pinnables)})
    if update and update not in names:
        near = get_close_matches(update, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"they are {', '.join(names)}"
        raise UsageError(f"the fleet has no artifact or default {update!r}", hint=hint)
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
