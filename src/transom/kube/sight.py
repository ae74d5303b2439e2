"""Objects of the Kubernetes API as a diagnosis sees them. Called by `client`."""

import base64
import re
from collections import defaultdict
from collections.abc import Iterable

from cryptography import x509
from cryptography.x509.oid import NameOID
from lightkube.resources import certificates_v1, core_v1, discovery_v1

from transom.model.sight import (
    CertificateRequestSight,
    ConditionSight,
    NodeSight,
    RequestState,
    ServiceSight,
)

# What cryptography raises of its own; none of them is a ValueError.
_OF_X509 = (x509.InvalidVersion, x509.DuplicateExtension, x509.UnsupportedGeneralNameType)
_EXTENSION_REQUEST = "1.2.840.113549.1.9.14"
_ONE_BLOCK = re.compile(
    rb"-----BEGIN CERTIFICATE REQUEST-----\r?\n[A-Za-z0-9+/=\r\n]+"
    rb"-----END CERTIFICATE REQUEST-----\s*"
)
_STATES = {
    "Denied": RequestState.DENIED,
    "Failed": RequestState.FAILED,
    "Approved": RequestState.APPROVED,
}


# A Service with one of these labels is not kube-proxy's (pkg/proxy/apis/well_known_labels.go).
_OF_ANOTHER_PROXY = ("service.kubernetes.io/service-proxy-name", "service.kubernetes.io/headless")
_SERVICE_NAME = "kubernetes.io/service-name"
_HEADLESS = ("", "None")


def service_sights(
    services: Iterable[core_v1.Service], slices: Iterable[discovery_v1.EndpointSlice]
) -> tuple[ServiceSight, ...]:
    """The Services that kube-proxy serves on every node, with the endpoints that are ready."""
    ready: dict[tuple[str, str], set[str]] = defaultdict(set)
    for item in slices:
        assert item.metadata is not None
        service = (item.metadata.labels or {}).get(_SERVICE_NAME, "")
        for endpoint in item.endpoints or ():
            # Not told is ready, by the EndpointSlice's own definition.
            if endpoint.conditions is None or endpoint.conditions.ready is not False:
                ready[item.metadata.namespace or "", service].update(endpoint.addresses)
    found = (_service_sight(item, ready) for item in services)
    return tuple(item for item in found if item is not None)


def _service_sight(
    found: core_v1.Service, ready: dict[tuple[str, str], set[str]]
) -> ServiceSight | None:
    spec, metadata = found.spec, found.metadata
    assert metadata is not None
    labels = metadata.labels or {}
    if spec is None or any(name in labels for name in _OF_ANOTHER_PROXY):
        return None
    addresses = spec.clusterIPs or [spec.clusterIP or ""]
    # Without an endpoint on the node, a Service of internal policy Local has nothing there.
    if spec.internalTrafficPolicy == "Local" or all(item in _HEADLESS for item in addresses):
        return None
    namespace, name = metadata.namespace or "", metadata.name or ""
    created = metadata.creationTimestamp
    return ServiceSight(
        namespace=namespace,
        name=name,
        addresses=tuple(item for item in addresses if item not in _HEADLESS),
        backends=tuple(sorted(ready.get((namespace, name), ()))),
        created=int(created.timestamp()) if created else 0,
    )


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
    subject, names, unreadable = _asked(found.spec.request)
    return CertificateRequestSight(
        name=metadata.name or "",
        signer=found.spec.signerName,
        username=found.spec.username or "",
        subject=subject,
        created=int(created.timestamp()) if created else 0,
        state=_STATES.get(kind, RequestState.PENDING),
        message=decided.get(kind, ""),
        names=names,
        usages=tuple(found.spec.usages or ()),
        unreadable=unreadable,
    )


def _asked(encoded: str) -> tuple[str, tuple[str, ...], str]:
    """The subject and the names of a request, and why they cannot be told.

    Anyone with a bootstrap token writes requests, so nothing in one may raise. The signer reads with
    Go: where that may see other names than are read here, the request is unreadable.
    """
    subject = ""
    try:
        request = _request(base64.b64decode(encoded))
        subject = _common_name(request)
        return subject, _alternative_names(request), ""
    except (ValueError, *_OF_X509) as error:
        return subject, (), str(error) or type(error).__name__


def _request(pem: bytes) -> x509.CertificateSigningRequest:
    # Which of several blocks is meant, and what else may stand between them, is each reader's own.
    if _ONE_BLOCK.fullmatch(pem) is None:
        raise ValueError("it is not one PEM block of a certificate request")
    return x509.load_pem_x509_csr(pem)


def _common_name(asked: x509.CertificateSigningRequest) -> str:
    found = asked.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    if len(found) != 1:
        # Go takes the last of several: crypto/x509/pkix, Name.FillFromRDNSequence.
        raise ValueError(f"its subject has {len(found)} common names")
    return str(found[0].value)


def _alternative_names(asked: x509.CertificateSigningRequest) -> tuple[str, ...]:
    # Go reads every attribute extensionRequest and no other (crypto/x509, parseCSRExtensions);
    # cryptography reads the first of these and of Microsoft's own kind.
    attributes = [attribute.oid.dotted_string for attribute in asked.attributes]
    if any(oid != _EXTENSION_REQUEST for oid in attributes) or len(attributes) > 1:
        raise ValueError("it has other attributes than one list of extensions")
    try:
        names = asked.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ()
    # A name of a kind that no node has is shown as it is, so that nobody approves it unseen.
    return tuple(
        str(name.value) if isinstance(name, x509.DNSName | x509.IPAddress) else repr(name)
        for name in names
    )
