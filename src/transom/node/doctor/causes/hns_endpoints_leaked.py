"""The host network service has endpoints that nothing uses any more."""

from collections.abc import Iterator

from transom.model.finding import Severity
from transom.node.doctor.diagnosis import Diagnosis, Trouble
from transom.node.doctor.hns_objects import addresses, is_remote
from transom.node.doctor.observation import Observation
from transom.node.step import Seen

_SHOWN = 5


def _examine(seen: Observation) -> Iterator[Trouble]:
    networks = {str(item.get("ID", "")).lower() for item in seen.hns.networks}
    used = {
        str(endpoint).lower()
        for balancer in seen.hns.balancers
        for endpoint in balancer.get("HostComputeEndpoints") or ()
    }
    orphans, unused = [], []
    for endpoint in seen.hns.endpoints:
        identity = str(endpoint.get("ID", "")).lower()
        shown = f"{identity[:8]} {', '.join(addresses(endpoint))}"
        if str(endpoint.get("HostComputeNetwork", "")).lower() not in networks:
            orphans.append(shown)
        elif is_remote(endpoint) and identity not in used:
            unused.append(shown)
    if orphans:
        yield _trouble(f"{len(orphans)} endpoints name a network that is gone", orphans)
    if unused:
        yield _trouble(f"no balancer uses {len(unused)} remote endpoints", unused)


def _trouble(message: str, found: list[str]) -> Trouble:
    return Trouble(subject="HNS endpoints", message=message, evidence=tuple(found[:_SHOWN]))


DIAGNOSIS = Diagnosis(
    id="hns-endpoints-leaked",
    title="Endpoints left behind in HNS",
    symptom="Services answer slowly or from the wrong pod; after weeks making a pod takes minutes.",
    cause="Services were deleted while kube-proxy did not run: it does not remove the remote "
    "endpoints of Services it never saw.",
    remedy="Restart kube-proxy; what stays is removed with `Get-HnsEndpoint | Where-Object "
    "IsRemoteEndpoint | Remove-HnsEndpoint` while kube-proxy is stopped.",
    looks_at=("hns",),
    seen=Seen.STAND_IN,
    examine=_examine,
    severity=Severity.WARNING,
)
