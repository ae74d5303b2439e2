"""Nobody will approve this node's next certificate."""

from collections.abc import Iterator

from transom.model.finding import Severity
from transom.node.doctor.diagnosis import NOTHING, Diagnosis, Remedy, Trouble
from transom.node.doctor.kubelet_settings import setting
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_SHOWN = 5
_ROTATION = "selfnodeclient"
_SERVING = "kubernetes.io/kubelet-serving"


def _examine(seen: Observation) -> Iterator[Trouble]:
    if seen.cluster is None:
        return
    rotates = setting(seen, "rotateCertificates") == "true"
    known = "approvers" not in seen.cluster.unread
    if known and rotates and not any(name.endswith(_ROTATION) for name in seen.cluster.approvers):
        yield Trouble(
            subject="rotateCertificates",
            message="the kubelet renews its certificate and no ClusterRoleBinding approves that",
            evidence=(f"approvers: {', '.join(seen.cluster.approvers) or 'none'}",),
        )
    if setting(seen, "serverTLSBootstrap") == "true":
        serving = [request for request in seen.cluster.requests if request.signer == _SERVING]
        waiting = [item for item in serving if item.state.value == "pending"]
        if len(waiting) > 1:
            yield Trouble(
                subject="serverTLSBootstrap",
                message=f"{len(waiting)} requests for serving certificates wait: nobody approves "
                "them in this cluster",
                evidence=tuple(item.name for item in waiting[:_SHOWN]),
            )


DIAGNOSIS = Diagnosis(
    id="no-lasting-approver",
    title="No lasting approver of certificates",
    symptom="All is well until the certificate ends; then the Node is NotReady and stays so.",
    cause="The cluster lacks the binding that lets nodes renew their own certificates, or uses "
    "serverTLSBootstrap without anything that approves serving certificates.",
    remedy=Remedy(
        "Bind ClusterRole system:certificates.k8s.io:certificatesigningrequests:selfnodeclient "
        "to the group system:nodes (`kubeadm init phase bootstrap-token` does), and run an "
        "approver for serving certificates or turn serverTLSBootstrap off.",
        NOTHING,
    ),
    looks_at=("cluster", "texts"),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
    severity=Severity.WARNING,
    hides=("certificate-request-pending",),
)
