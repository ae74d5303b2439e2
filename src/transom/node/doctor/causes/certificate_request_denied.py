"""Somebody denied this node's certificate signing request, or it could not be signed."""

from collections.abc import Iterator

from transom.model.sight import RequestState
from transom.node.doctor.certificate_requests import newest_requests
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    for request in newest_requests(seen):
        if request.state in (RequestState.DENIED, RequestState.FAILED):
            yield Trouble(
                subject=request.name,
                message=f"the request {request.name} for {request.signer} is {request.state.value}"
                + (f": {request.message}" if request.message else ""),
                evidence=(f"made by {request.username}",),
            )


DIAGNOSIS = Diagnosis(
    id="certificate-request-denied",
    title="Certificate request denied",
    symptom="The kubelet logs `certificate signing request is denied`; the Node does not appear or "
    "`kubectl logs` fails.",
    cause="An approver found the request wrong (name, addresses, group), or a person denied it.",
    remedy=Remedy(
        "Ask who denied it (`kubectl describe csr NAME`), correct what was wrong, then restart "
        "the kubelet: it asks again.",
        "Running containers go on; probes, `kubectl logs` and `kubectl exec` stop for the "
        "seconds of the restart.",
    ),
    looks_at=("cluster",),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
    hides=("certificate-request-pending", "node-missing", "node-not-ready"),
)
