"""The parts of a run brought together: what stays after ignores and baseline, read as often as asked.

Findings that wait for other files are kept with the others, in their place, and come out only if
what they wait for was seen.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Self

from transom.model.finding import Finding, Severity
from transom.model.report import Shown
from transom.workload.links import Bond, Claims, owners_of, with_evidence
from transom.workload.linting.spool import Entry, Spool

if TYPE_CHECKING:
    from transom.model.problem import Mistake
    from transom.workload.baseline import Baseline
    from transom.workload.foreign import Span
    from transom.workload.ignore import Ignore, Sieve
    from transom.workload.linting.run import Part


# About a megabyte; every so many that wait, the pods are gone through once.
_BONDS_AT_ONCE = 1_000


class Gathered:
    """What came out of all files; iterating gives what is to be shown."""

    def __init__(self, *, ignores: "Sequence[Ignore]", baseline: "Baseline | None") -> None:
        self._entries = Spool[Entry]()
        self._pods = Spool[str]()
        # For each so many bonds, in the order of the entries: the owners of the pods they meet.
        self._owners = Spool[dict[Bond, str | None]](kept=1)
        self._sieve = _sieve(ignores) if ignores else None
        self._baseline = baseline
        self._claims: Claims = {}
        self.unreadable: list[Mistake] = []
        self.spans: list[Span] = []
        self.counts: dict[Severity, int] = dict.fromkeys(Severity, 0)
        self.ignored = 0
        self.fixable = 0
        self.foreign = 0
        self.templates: Counter[str] = Counter()
        self._rendered: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._entries.close()
        self._pods.close()
        self._owners.close()

    def add(self, part: "Part") -> None:
        """Take over what came out of some files."""
        self.unreadable += part.unreadable
        self.spans += part.spans
        self.ignored += part.ignored
        self.foreign += part.foreign
        self.templates += part.templates
        self._rendered |= part.rendered
        self._pods.add(part.links.pods)
        for volume, claims in part.links.claims.items():
            self._claims.setdefault(volume, set()).update(claims)
        entries = part.entries
        if self._sieve is not None:
            entries = [entry for entry in entries if not self._sieve.is_ignored(entry.finding)]
            self.ignored += sum(entry.bond is None for entry in part.entries)
            self.ignored -= sum(entry.bond is None for entry in entries)
        self._entries.add(entries)

    def settle(self) -> None:
        """Every file was read: decide what waited, and count."""
        waiting: dict[Bond, None] = {}
        for entry in self._entries:
            if entry.bond is not None and entry.bond not in waiting:
                if len(waiting) == _BONDS_AT_ONCE:
                    self._meet(waiting)
                    waiting = {}
                waiting[entry.bond] = None
        if waiting:
            self._meet(waiting)
        for finding in self.all_findings():
            if self._is_known(finding):
                self.ignored += 1
            else:
                self.counts[finding.severity] += 1
                self.fixable += finding.file not in self._rendered and _is_fixable(finding)

    def complaints(
        self,
        known: frozenset[str],
        active: frozenset[str],
        was_seen: "Callable[[Ignore], bool]",
    ) -> Iterable[Finding]:
        """What is wrong with the ignores of the settings."""
        return () if self._sieve is None else self._sieve.complaints(known, active, was_seen)

    @property
    def has_baseline(self) -> bool:
        """Whether something is left out because it was there already."""
        return self._baseline is not None

    def stale(self, files: frozenset[str]) -> Iterable[Finding]:
        """The entries of the baseline about these files that occur no more."""
        return () if self._baseline is None else self._baseline.stale(files)

    def add_last(self, findings: Iterable[Finding]) -> None:
        """Put findings about ignores and baseline after all others."""
        last = [Entry(finding) for finding in findings]
        self._entries.add(last)
        for entry in last:
            self.counts[entry.finding.severity] += 1

    def all_findings(self) -> Iterator[Finding]:
        """What was found, known to the baseline or not."""
        return (finding for finding, _source in self._settled())

    def __iter__(self) -> Iterator[Shown]:
        return (shown for shown in self._settled() if not self._is_known(shown.finding))

    def _settled(self) -> Iterator[Shown]:
        batches = iter(self._owners)
        owners: dict[Bond, str | None] = {}
        for finding, source, bond in self._entries:
            if bond is None:
                yield Shown(finding, source)
                continue
            if bond not in owners:
                owners = next(batches)
            owner = owners[bond]
            if owner is not None:
                yield Shown(with_evidence(finding, owner), source)

    def _meet(self, bonds: Iterable[Bond]) -> None:
        met = owners_of(bonds, self._pods, self._claims)
        self._owners.add([{bond: met.get(bond) for bond in bonds}])

    def _is_known(self, finding: Finding) -> bool:
        return self._baseline is not None and self._baseline.is_known(finding)


def _is_fixable(finding: Finding) -> bool:
    """Whether `transom fix` could end it; a live object has no text to edit."""
    from transom.workload.fixable import FIXABLE

    return finding.line > 0 and finding.rule in FIXABLE


def _sieve(ignores: "Sequence[Ignore]") -> "Sieve":
    from transom.workload.ignore import Sieve

    return Sieve(ignores)
