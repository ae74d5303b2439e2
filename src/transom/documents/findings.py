"""What `transom lint -o json` prints.

A declaration for the schema only: `findings/document.py` writes it without the codec, because
there may be very many findings. A test validates what it prints.
"""

from transom.model.api_versions import written
from transom.model.finding import Finding
from transom.model.problem import Mistake
from transom.model.records import dataclass
from transom.model.report import Overruled


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """How many files were looked at or could not be read, and findings of each severity.

    `ignored` counts the findings that are left out because somebody gave a reason, `skipped` the
    files that are no manifests, or templates of some, `fixable` the findings that `transom fix` ends.
    """

    files: int
    ignored: int
    unreadable: int
    error: int
    warning: int
    info: int
    skipped: int = 0
    fixable: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsDocument:
    """What a check found, which findings of other linters it overruled, and what it could not read."""

    api_version: str = written("Findings")
    kind: str = "Findings"
    findings: tuple[Finding, ...]
    overruled: tuple[Overruled, ...]
    unreadable: tuple[Mistake, ...]
    summary: Summary
