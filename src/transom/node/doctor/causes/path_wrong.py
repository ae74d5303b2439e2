"""The machine's PATH lacks a directory of the recipe, or has one twice."""

from collections import Counter
from collections.abc import Iterator

from transom.model.finding import Severity
from transom.node.doctor.diagnosis import NOTHING, Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen
from transom.node.host.environment import has_entry


def _examine(seen: Observation) -> Iterator[Trouble]:
    for item in seen.recipe.environment if seen.recipe is not None else ():
        value = _variable(seen, item.name)
        if item.append and not has_entry(value, item.value):
            yield Trouble(
                subject=item.name,
                message=f"{item.name} lacks {item.value}",
                evidence=(f"{item.name}={value}",),
            )
    entries = [part.strip().rstrip("\\").lower() for part in _variable(seen, "Path").split(";")]
    doubles = [part for part, count in Counter(filter(None, entries)).items() if count > 1]
    if doubles:
        yield Trouble(
            subject="Path",
            message=f"Path has {', '.join(doubles)} more than once",
            remedy=Remedy(
                "Remove the repeated entries: Windows cuts off a PATH that grows too long.",
                NOTHING,
            ),
        )


def _variable(seen: Observation, name: str) -> str:
    low = name.lower()
    return next((text for key, text in seen.environment.items() if key.lower() == low), "")


DIAGNOSIS = Diagnosis(
    id="path-wrong",
    title="PATH wrong",
    symptom="`kubeadm` or `crictl` is not found, or an old one is; the kubelet does not find a "
    "credential provider.",
    cause="Another installer replaced the machine's PATH, or a script adds to it each time it runs.",
    remedy=Remedy(
        "`transom join ADDRESS` adds the missing directories; services see a new PATH after a "
        "reboot.",
        "Adding the directories interrupts nothing. The reboot ends every pod on this node: "
        "drain it first.",
    ),
    looks_at=("environment", "recipe"),
    seen=Seen.WINE,
    examine=_examine,
    severity=Severity.WARNING,
)
