"""The cluster says the Node is not well, and nothing on the host says why."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import NOTHING, Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_WELL = {"Ready": "True"}
_SILENT = ("Ready", "Unknown")
_LOOK = Remedy(
    "The kubelet is silent: look whether the machine runs, whether it reaches the API server, and "
    "whether its service kubelet runs.",
    NOTHING,
)


def _examine(seen: Observation) -> Iterator[Trouble]:
    node = seen.cluster.node if seen.cluster is not None else None
    conditions = node.conditions if node is not None else ()
    silent = [item for item in conditions if (item.type, item.status) == _SILENT]
    # Of a kubelet that is silent nothing else is known either.
    for condition in silent or conditions:
        if condition.status != _WELL.get(condition.type, "False"):
            yield Trouble(
                subject=condition.type,
                message=f"the Node's condition {condition.type} is {condition.status}: "
                f"{condition.message or condition.reason or 'no reason is given'}",
                evidence=(f"{condition.type}={condition.status} {condition.reason}".strip(),),
                remedy=_LOOK if condition in silent else None,
            )


DIAGNOSIS = Diagnosis(
    id="node-not-ready",
    title="Node not well for another reason",
    symptom="The Node is NotReady, or has a pressure condition.",
    cause="None of the other causes was found; the kubelet's own words are shown.",
    remedy=Remedy(
        "Act on the kubelet's words; `transom collect` brings everything that helps somebody "
        "else to look.",
        "It depends on what the kubelet says; collecting interrupts nothing.",
    ),
    looks_at=("cluster",),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
)
