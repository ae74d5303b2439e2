"""This node's certificate signing request waits for somebody."""

from collections.abc import Iterator

from transom.model.sight import RequestState
from transom.node.doctor.certificate_requests import newest_requests
from transom.node.doctor.diagnosis import NOTHING, Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    for request in newest_requests(seen):
        if request.state is RequestState.PENDING:
            yield Trouble(
                subject=request.name,
                message=f"the request {request.name} for {request.signer} waits for approval",
                evidence=(f"made by {request.username}",),
            )


DIAGNOSIS = Diagnosis(
    id="certificate-request-pending",
    title="Certificate request pending",
    symptom="The Node does not appear, or `kubectl logs` and `kubectl exec` fail with a TLS error.",
    cause="Nobody approves requests of this kind: the one for a kubelet's serving certificate is "
    "never approved by Kubernetes itself.",
    remedy=Remedy(
        "Look at it (`kubectl describe csr NAME`) and approve it: `kubectl certificate approve "
        "NAME`.",
        NOTHING,
    ),
    looks_at=("cluster",),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
    hides=("node-missing", "node-not-ready"),
)
