"""The kubelet's client certificate: of several, the one that is good longest is the one in use."""

from transom.node.doctor.observation import CertificateSeen, Observation

NODE_PREFIX = "system:node:"


def client_certificate(seen: Observation) -> CertificateSeen | None:
    """The certificate by which the kubelet is known to the cluster."""
    mine = [item for item in seen.certificates if item.subject.startswith(NODE_PREFIX)]
    clients = [item for item in mine if "kubelet-client" in item.path.lower()]
    return max(clients, key=lambda item: item.not_after, default=None)
