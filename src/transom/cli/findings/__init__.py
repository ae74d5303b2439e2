"""Findings in the forms that people and programs read; each module is one form.

A form has `render(report) -> str`. Called by the commands that check something; decides nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from transom.model.finding import Finding, Severity
from transom.model.problem import Mistake

if TYPE_CHECKING:
    from transom.workload.foreign import Overruled


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found: findings, what could not be read, and the lines to show.

    `lines` are source lines by file and number; forms that show no source need none.
    `overruled` are findings of other linters that are wrong for Windows, `foreign_runs` the SARIF
    runs they came from, with them suppressed.
    """

    findings: Sequence[Finding]
    unreadable: Sequence[Mistake] = ()
    files: int = 0
    ignored: int = 0
    lines: Mapping[tuple[str, int], str] = field(default_factory=dict)
    overruled: "Sequence[Overruled]" = ()
    foreign_runs: Sequence[Any] = ()

    def counts(self) -> dict[Severity, int]:
        """How many findings there are of each severity."""
        counts = dict.fromkeys(Severity, 0)
        for finding in self.findings:
            counts[finding.severity] += 1
        return counts
