"""Looks for every cause in one observation, and leaves out what is only a consequence.

What comes out has no secret in it, though the observation has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field

from transom.model.finding import Finding
from transom.model.records import dataclass
from transom.node.doctor.causes import DIAGNOSES
from transom.node.doctor.diagnosis import Diagnosis, Trouble
from transom.node.doctor.observation import Observation
from transom.node.doctor.odd_values import ODD_VALUE, said_of
from transom.node.doctor.redaction import Redactor
from transom.node.doctor.secrets import redactor_for

PAGE = "docs/troubleshooting.md"


@dataclass(frozen=True, slots=True)
class Examined:
    """What is wrong with a host, most telling first, and what could not be looked at or judged."""

    findings: tuple[Finding, ...]
    unread: Mapping[str, str] = field(default_factory=dict)


def examine(seen: Observation, diagnoses: Sequence[Diagnosis] = DIAGNOSES) -> Examined:
    """Judge every cause by itself: one that meets a value it cannot read is named as unjudged."""
    unread = dict(seen.unread)
    found: list[tuple[Diagnosis, tuple[Trouble, ...]]] = []
    for diagnosis in diagnoses:
        try:
            found.append((diagnosis, tuple(diagnosis.examine(seen))))
        except ODD_VALUE as error:
            unread[f"cause {diagnosis.id}"] = f"it could not be judged: {said_of(error)}"
    hidden = {name for diagnosis, troubles in found if troubles for name in diagnosis.hides}
    redactor = redactor_for(seen)
    return Examined(
        tuple(
            _finding(diagnosis, trouble, seen, redactor)
            for diagnosis, troubles in found
            for trouble in troubles
            if diagnosis.id not in hidden
        ),
        {what: redactor.clean(why) for what, why in unread.items()},
    )


def _finding(
    diagnosis: Diagnosis, trouble: Trouble, seen: Observation, redactor: Redactor
) -> Finding:
    clean = redactor.clean
    remedy = trouble.remedy or diagnosis.remedy
    return Finding(
        rule=diagnosis.id,
        severity=diagnosis.severity,
        file=clean(trouble.file),
        line=0,
        column=0,
        kind="Host",
        namespace="",
        name=seen.host.lower(),
        path=clean(trouble.subject),
        message=clean(trouble.message),
        fix=clean(remedy.text),
        source=f"{PAGE}#{diagnosis.id}",
        evidence=tuple(clean(item) for item in trouble.evidence),
        interrupts=remedy.interrupts,
    )
