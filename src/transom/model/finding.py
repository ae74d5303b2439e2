"""A finding: one place where something does not work on Windows, as every checker reports it."""

from enum import Enum
from typing import NamedTuple


class Severity(Enum):
    """How bad it is; the order of declaration is from worst to mildest."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    def is_at_least(self, other: "Severity") -> bool:
        """Whether this is as bad as the other, or worse."""
        return _RANKS[self] <= _RANKS[other]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


class Finding(NamedTuple):
    """What is wrong, where, why, and what to do.

    `path` is dotted from the document's root, `line` and `column` count from one. `kind`,
    `namespace` and `name` are those of the object it was found in. `evidence` is what it
    was concluded from, the strongest first: why a pod is taken to be for Windows, what a log says.
    What was found on a host has neither line nor column, `file` is a path there, and `interrupts`
    says what running pods and Services lose when the fix is followed.
    """

    rule: str
    severity: Severity
    file: str
    line: int
    column: int
    kind: str
    namespace: str
    name: str
    path: str
    message: str
    fix: str
    source: str
    evidence: tuple[str, ...] = ()
    interrupts: str = ""
