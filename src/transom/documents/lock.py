"""The lock as documents: the file itself, and what `transom lock -o json` prints about it."""

from transom.model.api_versions import written
from transom.model.lock import Default, LockEntry, LockKey
from transom.model.records import dataclass
from transom.recipe.defaults import NewerDefault
from transom.recipe.lock import Difference
from transom.report.lock import DefaultChange, LockReport


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedFleet:
    """What one fleet has in the lock: the defaults chosen for it, and the addresses of its artifacts."""

    name: str
    artifacts: tuple[str, ...] = ()
    default: tuple[Default, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LockDocument:
    """`transom.lock`, in TOML: which bytes each artifact is, and what was chosen for each fleet."""

    api_version: str = written("Lock")
    kind: str = "Lock"
    fleet: tuple[LockedFleet, ...] = ()
    artifact: tuple[LockEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An entry that says something else than before."""

    was: LockEntry
    now: LockEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class LockReportDocument:
    """The lock as it is now, how it differs from before, and how the fleet differs from it.

    `defaults` are those that were chosen now, `newer` those for which the facts have another value today,
    `unrecorded` those that the lock does not have.
    """

    api_version: str = written("LockReport")
    kind: str = "LockReport"
    file: str
    written: bool
    entries: tuple[LockEntry, ...]
    added: tuple[LockEntry, ...]
    changed: tuple[Change, ...]
    removed: tuple[LockEntry, ...]
    missing: tuple[LockKey, ...]
    differing: tuple[Difference, ...]
    unused: tuple[LockEntry, ...]
    defaults: tuple[DefaultChange, ...]
    newer: tuple[NewerDefault, ...]
    unrecorded: tuple[DefaultChange, ...]


def lock_report_document(report: LockReport) -> LockReportDocument:
    """The document of a report."""
    return LockReportDocument(
        file=report.file,
        written=report.written,
        entries=report.after.entries,
        added=tuple(report.added()),
        changed=tuple(Change(was=was, now=now) for was, now in report.changed()),
        removed=tuple(report.removed()),
        missing=report.missing,
        differing=report.differing,
        unused=report.unused,
        defaults=report.defaults,
        newer=report.newer,
        unrecorded=report.unrecorded,
    )
