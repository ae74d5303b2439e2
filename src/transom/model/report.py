"""What a check found, before anybody turns it into words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from transom.model.finding import Finding, Severity
from transom.model.problem import Mistake


class Shown(NamedTuple):
    """A finding, and the line of the file it is in where the form shows it."""

    finding: Finding
    source: str | None = None


class Overruled(NamedTuple):
    """One finding of another tool that is wrong here."""

    tool: str
    check: str
    file: str
    line: int
    owner: str
    reason: str


class Report(NamedTuple):
    """What a check found: findings, what could not be read, and how many of what there are.

    `shown` can be gone through several times, file by file. `skipped` counts files that are no
    manifests, or templates of some, `fixable` findings that `transom fix` ends. `overruled` are findings of other
    linters that are wrong for Windows, `foreign_runs` the SARIF runs they came from, with them
    suppressed. `standing` are namespace and name of the reports that a cluster has from before.
    """

    shown: Iterable[Shown]
    counts: Mapping[Severity, int]
    unreadable: Sequence[Mistake] = ()
    files: int = 0
    ignored: int = 0
    skipped: int = 0
    fixable: int = 0
    overruled: Sequence[Overruled] = ()
    foreign_runs: Sequence[Any] = ()
    tool: str = "transom lint"
    standing: Sequence[tuple[str, str]] = ()

    def findings(self) -> Iterator[Finding]:
        """The findings alone."""
        return (shown.finding for shown in self.shown)
