"""The host has joined and the cluster has no Node of its name."""

from collections.abc import Iterator

from transom.node.doctor.client_certificate import client_certificate
from transom.node.doctor.diagnosis import Diagnosis, Trouble
from transom.node.doctor.observation import Observation
from transom.node.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    joined = seen.journal.joined or client_certificate(seen) is not None
    if seen.cluster is not None and seen.cluster.node is None and joined:
        yield Trouble(
            subject=seen.host.lower(),
            message="the host has joined and the cluster has no Node of its name",
            evidence=("the kubelet registers its Node only when it starts",),
        )


DIAGNOSIS = Diagnosis(
    id="node-missing",
    title="Node missing",
    symptom="`kubectl get nodes` does not show the host though its kubelet runs.",
    cause="The Node was deleted in the cluster while the host stayed joined.",
    remedy="Restart the kubelet, which registers anew: `Restart-Service kubelet`; or reset the host "
    "if it should be gone.",
    looks_at=("cluster", "journal", "certificates"),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
)
