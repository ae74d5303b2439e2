"""Looks for every cause in one observation, and leaves out what is only a consequence."""

from collections.abc import Sequence

from transom.model.finding import Finding
from transom.node.doctor.causes import DIAGNOSES
from transom.node.doctor.diagnosis import Diagnosis, Trouble
from transom.node.doctor.observation import Observation

PAGE = "docs/troubleshooting.md"


def examine(seen: Observation, diagnoses: Sequence[Diagnosis] = DIAGNOSES) -> list[Finding]:
    """What is wrong with the host, most telling first."""
    found = [(diagnosis, tuple(diagnosis.examine(seen))) for diagnosis in diagnoses]
    hidden = {name for diagnosis, troubles in found if troubles for name in diagnosis.hides}
    return [
        _finding(diagnosis, trouble, seen)
        for diagnosis, troubles in found
        for trouble in troubles
        if diagnosis.id not in hidden
    ]


def _finding(diagnosis: Diagnosis, trouble: Trouble, seen: Observation) -> Finding:
    return Finding(
        rule=diagnosis.id,
        severity=diagnosis.severity,
        file=trouble.file,
        line=0,
        column=0,
        kind="Host",
        namespace="",
        name=seen.host.lower(),
        path=trouble.subject,
        message=trouble.message,
        fix=trouble.fix or diagnosis.remedy,
        source=f"{PAGE}#{diagnosis.id}",
        evidence=trouble.evidence,
    )
