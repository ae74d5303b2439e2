"""The certificate by which the kubelet is known, or the cluster's authority, is over."""

from collections.abc import Iterator
from datetime import UTC, datetime

from transom.node.doctor.client_certificate import client_certificate
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import CertificateSeen, Observation
from transom.node.engine.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    client = client_certificate(seen)
    now = seen.cluster.time if seen.cluster is not None and seen.cluster.time else seen.time
    found = [item for item in seen.certificates if item.path.lower().endswith("\\ca.crt")]
    for item in (*([client] if client else []), *found):
        if item.not_after < now:
            yield _trouble(item)


def _trouble(item: CertificateSeen) -> Trouble:
    ended = datetime.fromtimestamp(item.not_after, UTC).strftime("%Y-%m-%d %H:%M UTC")
    is_authority = item.path.lower().endswith("\\ca.crt")
    return Trouble(
        subject=item.subject,
        message=f"the certificate of {item.subject} ended on {ended}",
        evidence=(f"{item.path}: not after {item.not_after}",),
        file=item.path,
        remedy=Remedy(
            "Renew the cluster's authority, then reset and join the host again.",
            "Every pod on this node: reset and join end them all.",
        )
        if is_authority
        else None,
    )


DIAGNOSIS = Diagnosis(
    id="certificate-expired",
    title="Certificate expired",
    symptom="The Node is NotReady; the API server answers the kubelet with Unauthorized.",
    cause="The kubelet's client certificate ended before it was renewed: the host was off for too "
    "long, or nobody approved the renewal.",
    remedy=Remedy(
        "Give the kubelet a fresh bootstrap credential. Run `kubeadm token create` on a control "
        "plane node, put a copy of kubelet.conf that has the token as `token` instead of the "
        "two client-certificate keys at C:\\etc\\kubernetes\\bootstrap-kubelet.conf, and run "
        "`Restart-Service kubelet`: it requests a new certificate. Delete the copy when the "
        "Node is Ready.",
        "Running containers go on; probes, `kubectl logs` and `kubectl exec` stop for the "
        "seconds of the restart.",
    ),
    looks_at=("certificates", "time", "cluster"),
    seen=Seen.WINE,
    examine=_examine,
    hides=("node-not-ready", "no-lasting-approver", "certificate-request-pending"),
)
