"""The journal of what Transom changed cannot be read, or a run was left half done."""

from collections.abc import Iterator

from transom.model.finding import Severity
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    journal = seen.journal
    if journal.problem:
        yield Trouble(
            subject="journal",
            message=journal.problem,
            remedy=Remedy(
                "Restore the file from a backup; without it only a reset with --force takes back what "
                "was done.",
                "Restoring the file interrupts nothing. Reset: every pod on this node.",
            ),
        )
    elif journal.settled < journal.intents:
        yield Trouble(
            subject="journal",
            message=f"{journal.intents - journal.settled} changes are of a run that did not end",
            evidence=(f"{journal.settled} of {journal.intents} changes are settled",),
        )


DIAGNOSIS = Diagnosis(
    id="run-unfinished",
    title="Run left unfinished",
    symptom="The host is half prepared, half joined or half reset.",
    cause="A run of the node program was cut off by a power loss, or still goes on.",
    remedy=Remedy(
        "Run the same command again: it goes on where it stopped; `transom reset ADDRESS` takes "
        "everything back.",
        "What the command would have interrupted: its plan says so. Reset: every pod on this node.",
    ),
    looks_at=("journal",),
    seen=Seen.WINE,
    examine=_examine,
    severity=Severity.WARNING,
)
