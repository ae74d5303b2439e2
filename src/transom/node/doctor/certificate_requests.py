"""This node's certificate signing requests: of each kind only the newest says how things are."""

from transom.model.sight import CertificateRequestSight
from transom.node.doctor.observation import Observation


def newest_requests(seen: Observation) -> list[CertificateRequestSight]:
    """The newest request to each signer."""
    newest: dict[str, CertificateRequestSight] = {}
    for request in seen.cluster.requests if seen.cluster is not None else ():
        there = newest.get(request.signer)
        if there is None or request.created > there.created:
            newest[request.signer] = request
    return [newest[signer] for signer in sorted(newest)]
