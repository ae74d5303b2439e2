"""Findings in the forms that people and programs read; each module is one form.

A form has `render(report) -> Iterator[str]`, the text in pieces: there may be more findings than
fit into memory. Called by the commands that check something; decides nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from transom.model.finding import Finding, Severity
from transom.model.problem import Mistake

if TYPE_CHECKING:
    from transom.workload.foreign import Overruled


class Shown(NamedTuple):
    """A finding, and the line of the file it is in where the form shows it."""

    finding: Finding
    source: str | None = None


class Report(NamedTuple):
    """What a check found: findings, what could not be read, and how many of what there are.

    `shown` can be gone through several times, file by file. `skipped` counts files that are no
    manifests, or templates of some. `overruled` are findings of other
    linters that are wrong for Windows, `foreign_runs` the SARIF runs they came from, with them
    suppressed.
    """

    shown: Iterable[Shown]
    counts: Mapping[Severity, int]
    unreadable: Sequence[Mistake] = ()
    files: int = 0
    ignored: int = 0
    skipped: int = 0
    overruled: "Sequence[Overruled]" = ()
    foreign_runs: Sequence[Any] = ()
    tool: str = "transom lint"

    def findings(self) -> Iterator[Finding]:
        """The findings alone."""
        return (shown.finding for shown in self.shown)
