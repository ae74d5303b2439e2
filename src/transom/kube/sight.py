"""Objects of the Kubernetes API as a diagnosis sees them."""

import base64
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from cryptography import x509
from cryptography.x509.oid import NameOID

from transom.kube.answers import created, decoded, part
from transom.model.manifest import Manifest
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
    services: Iterable[Manifest], slices: Iterable[Manifest]
) -> tuple[ServiceSight, ...]:
    """The Services that kube-proxy serves on every node, with the endpoints that are ready."""
    ready: dict[tuple[str, str], set[str]] = defaultdict(set)
    for item in slices:
        for service, addresses in decoded(_ready, item):
            ready[service].update(addresses)
    found = (decoded(lambda item: _service_sight(item, ready), item) for item in services)
    return tuple(item for item in found if item is not None)


def _ready(found: Manifest) -> list[tuple[tuple[str, str], list[str]]]:
    metadata = found["metadata"]
    service = metadata["namespace"], part(metadata, "labels").get(_SERVICE_NAME, "")
    # Not told is ready, by the EndpointSlice's own definition.
    return [
        (service, item["addresses"])
        for item in found.get("endpoints") or ()
        if part(item, "conditions").get("ready") is not False
    ]


def _service_sight(
    found: Manifest, ready: Mapping[tuple[str, str], set[str]]
) -> ServiceSight | None:
    spec, metadata = part(found, "spec"), found["metadata"]
    if not spec or any(name in part(metadata, "labels") for name in _OF_ANOTHER_PROXY):
        return None
    addresses = spec.get("clusterIPs") or [spec.get("clusterIP", "")]
    # Without an endpoint on the node, a Service of internal policy Local has nothing there.
    if spec.get("internalTrafficPolicy") == "Local" or all(item in _HEADLESS for item in addresses):
        return None
    namespace, name = metadata["namespace"], metadata["name"]
    return ServiceSight(
        namespace=namespace,
        name=name,
        addresses=tuple(item for item in addresses if item not in _HEADLESS),
        backends=tuple(sorted(ready.get((namespace, name), ()))),
        created=created(found),
    )


def node_sight(found: Manifest) -> NodeSight:
    """A Node with its conditions and its ranges."""
    status = part(found, "status")
    return NodeSight(
        name=found["metadata"]["name"],
        conditions=tuple(
            ConditionSight(
                type=item["type"],
                status=item["status"],
                reason=item.get("reason") or "",
                message=item.get("message") or "",
            )
            for item in status.get("conditions") or ()
        ),
        pod_cidrs=tuple(part(found, "spec").get("podCIDRs") or ()),
        kubelet=part(status, "nodeInfo").get("kubeletVersion", "").removeprefix("v"),
    )


def request_sight(found: Manifest) -> CertificateRequestSight:
    """A request with the worst that was decided about it."""
    spec, conditions = found["spec"], part(found, "status").get("conditions") or ()
    decided = {item["type"]: item.get("message") or "" for item in conditions}
    kind = next((name for name in _STATES if name in decided), "")
    subject, names, unreadable = _asked(spec["request"])
    return CertificateRequestSight(
        name=found["metadata"]["name"],
        signer=spec["signerName"],
        username=spec.get("username", ""),
        subject=subject,
        created=created(found),
        state=_STATES.get(kind, RequestState.PENDING),
        message=decided.get(kind, ""),
        names=names,
        usages=tuple(spec.get("usages") or ()),
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
