"""Objects of the Kubernetes API as a diagnosis sees them. Called by `client`."""

import base64

from cryptography import x509
from cryptography.x509.oid import NameOID
from lightkube.resources import certificates_v1, core_v1

from transom.model.sight import (
    CertificateRequestSight,
    ConditionSight,
    NodeSight,
    RequestState,
)

_STATES = {
    "Denied": RequestState.DENIED,
    "Failed": RequestState.FAILED,
    "Approved": RequestState.APPROVED,
}


def node_sight(found: core_v1.Node) -> NodeSight:
    """A Node with its conditions and its ranges."""
    status, spec, metadata = found.status, found.spec, found.metadata
    assert metadata is not None
    assert metadata.name is not None
    info = status.nodeInfo if status else None
    return NodeSight(
        name=metadata.name,
        conditions=tuple(
            ConditionSight(
                type=item.type,
                status=item.status,
                reason=item.reason or "",
                message=item.message or "",
            )
            for item in (status.conditions if status else None) or ()
        ),
        pod_cidrs=tuple((spec.podCIDRs if spec else None) or ()),
        kubelet=info.kubeletVersion.removeprefix("v") if info else "",
    )


def request_sight(found: certificates_v1.CertificateSigningRequest) -> CertificateRequestSight:
    """A request with the worst that was decided about it."""
    metadata, conditions = found.metadata, (found.status and found.status.conditions) or ()
    assert metadata is not None
    decided = {item.type: item.message or "" for item in conditions}
    kind = next((name for name in _STATES if name in decided), "")
    created = metadata.creationTimestamp
    return CertificateRequestSight(
        name=metadata.name or "",
        signer=found.spec.signerName,
        username=found.spec.username or "",
        subject=_common_name(base64.b64decode(found.spec.request)),
        created=int(created.timestamp()) if created else 0,
        state=_STATES.get(kind, RequestState.PENDING),
        message=decided.get(kind, ""),
    )


def _common_name(pem: bytes) -> str:
    try:
        subject = x509.load_pem_x509_csr(pem).subject
    except ValueError:
        return ""
    found = subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(found[0].value) if found else ""
