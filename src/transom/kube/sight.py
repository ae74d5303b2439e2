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
    asked = _request(base64.b64decode(found.spec.request))
    return CertificateRequestSight(
        name=metadata.name or "",
        signer=found.spec.signerName,
        username=found.spec.username or "",
        subject=_common_name(asked) if asked else "",
        created=int(created.timestamp()) if created else 0,
        state=_STATES.get(kind, RequestState.PENDING),
        message=decided.get(kind, ""),
        names=_alternative_names(asked) if asked else (),
        usages=tuple(found.spec.usages or ()),
    )


def _request(pem: bytes) -> x509.CertificateSigningRequest | None:
    try:
        return x509.load_pem_x509_csr(pem)
    except ValueError:
        return None


def _common_name(asked: x509.CertificateSigningRequest) -> str:
    found = asked.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(found[0].value) if found else ""


def _alternative_names(asked: x509.CertificateSigningRequest) -> tuple[str, ...]:
    try:
        names = asked.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return ()
    # A name of a kind that no node has is shown as it is, so that nobody approves it unseen.
    return tuple(
        str(name.value) if isinstance(name, x509.DNSName | x509.IPAddress) else repr(name)
        for name in names
    )
