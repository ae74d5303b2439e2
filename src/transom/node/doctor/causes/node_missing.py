"""The host has joined and the cluster has no Node of its name."""

from collections.abc import Iterator

from transom.node.doctor.client_certificate import client_certificate
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    joined = seen.journal.joined or client_certificate(seen) is not None
    cluster = seen.cluster
    if cluster is None or cluster.node is not None or "node" in cluster.unread:
        return
    if joined:
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
    remedy=Remedy(
        "Restart the kubelet, which registers again: `Restart-Service kubelet`; or reset the "
        "host if it should be gone.",
        "Running containers go on, but pods of the deleted Node are gone from the cluster: the "
        "kubelet ends what it does not find there. A reset ends every pod on this node.",
    ),
    looks_at=("cluster", "journal", "certificates"),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
)
