"""What `transom lock` found and did, and in lines for people."""

from collections.abc import Iterator
from typing import Annotated

from transom.model.choices import OneOf
from transom.model.disruption import Disruption
from transom.model.lock import Lock, LockEntry, LockKey
from transom.model.records import dataclass
from transom.recipe.defaults import NewerDefault
from transom.recipe.lock import Difference

_SHORT = 12
_THOUSAND = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultChange:
    """A default that is chosen: before, empty where it was not recorded, and now; the fact it is chosen by.

    `steps` are those that a node in use goes through because of it, `disruption` what its pods feel.
    """

    fleet: str
    name: str
    was: str
    now: str
    why: str
    disruption: Annotated[str, OneOf.values_of(Disruption)] = Disruption.NONE.value
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LockReport:
    """The lock as it is now, how it differs from before, and how the fleet differs from it."""

    file: str
    written: bool
    before: Lock
    after: Lock
    missing: tuple[LockKey, ...] = ()
    differing: tuple[Difference, ...] = ()
    unused: tuple[LockEntry, ...] = ()
    defaults: tuple[DefaultChange, ...] = ()
    newer: tuple[NewerDefault, ...] = ()
    unrecorded: tuple[DefaultChange, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether every artifact of the fleet has its entry, with the sum it should have.

        A lock that an older Transom made records no defaults, and that alone is no difference.
        """
        known = {section.name for section in self.after.fleets}
        differs = any(item.fleet in known for item in self.unrecorded)
        return not self.missing and not self.differing and not differs

    def added(self) -> list[LockEntry]:
        """Entries that were not there before."""
        before = self.before.by_key()
        return [entry for entry in self.after.entries if entry.key not in before]

    def removed(self) -> list[LockEntry]:
        """Entries that are there no more."""
        after = self.after.by_key()
        return [entry for entry in self.before.entries if entry.key not in after]

    def changed(self) -> list[tuple[LockEntry, LockEntry]]:
        """Entries that say something else than before: was and is."""
        before = self.before.by_key()
        pairs = [(before[e.key], e) for e in self.after.entries if e.key in before]
        return [(was, now) for was, now in pairs if was != now]


def lines(report: LockReport) -> Iterator[str]:
    """The report for people."""
    yield from _changes(report)
    for key in report.missing:
        yield f"missing  {_name(key)}  {key.url}"
    for difference in report.differing:
        entry = difference.entry
        yield f"differs  {_name(entry)}  locked {entry.sha256}"
        yield f"         {difference.said_by} says {difference.sha256}"
    yield from _defaults(report)
    for entry in report.unused:
        yield f"unused   {_name(entry)}  `transom lock --update` drops it"
    count = len(report.after.entries)
    state = "written" if report.written else "not changed"
    yield f"{report.file}: {count} artifact{'s' if count != 1 else ''}, {state}"
    if report.missing:
        yield "next: `transom lock`, where the sources can be reached, adds what is missing"
    if report.differing:
        yield "next: find out why; `transom lock --update NAME` takes the new sum"


def _defaults(report: LockReport) -> Iterator[str]:
    for item in report.defaults:
        if not item.was:
            yield f"default  {item.fleet}: {item.name} {item.now}  [{item.why}]"
            continue
        yield f"default  {item.fleet}: {item.name} {item.was} -> {item.now}  [{item.why}]"
        steps = f"; steps {', '.join(item.steps)}" if item.steps else ""
        yield f"         disruption on nodes in use: {item.disruption}{steps}"
    for item in report.unrecorded:
        yield f"open     {item.fleet}: {item.name} is not in the lock; {item.now} would be chosen  [{item.why}]"
    for kept in report.newer:
        yield (
            f"newer    {kept.fleet}: {kept.name} {kept.locked} is locked, {kept.offered} is the default "
            f"today  [{kept.why}]; `transom lock --update {kept.name}` takes it"
        )


def _changes(report: LockReport) -> Iterator[str]:
    for entry in report.added():
        source = f"{entry.sum_from.value} sum"
        yield f"added    {_name(entry)}  {entry.sha256[:_SHORT]}  {size(entry.size)}  {source}"
    for was, now in report.changed():
        if was.sha256 == now.sha256:
            yield f"changed  {_name(now)}  same bytes, {now.sum_from.value} sum"
        else:
            yield f"changed  {_name(now)}  other bytes: {was.sha256} is now {now.sha256}"
    for entry in report.removed():
        yield f"removed  {_name(entry)}"


def size(count: int) -> str:
    """Bytes for people: 52.3 MB."""
    if count < _THOUSAND:
        return f"{count} B"
    amount, units = count / _THOUSAND, ["kB", "MB", "GB"]
    while amount >= _THOUSAND and len(units) > 1:
        amount /= _THOUSAND
        del units[0]
    return f"{amount:.1f} {units[0]}"


def _name(thing: LockEntry | LockKey) -> str:
    return f"{thing.id} {thing.version}"
