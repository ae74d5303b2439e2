"""The host network service has endpoints that nothing uses any more."""

from collections.abc import Iterator

from transom.model.finding import Severity
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.hns_objects import (
    addresses,
    backend_endpoints,
    identity,
    service_ranges,
    used_endpoints,
)
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_SHOWN = 5


def _examine(seen: Observation) -> Iterator[Trouble]:
    if not seen.hns.settled:
        return
    networks = {identity(item) for item in seen.hns.networks}
    orphans = [
        f"{identity(item)} {', '.join(addresses(item))}".strip()
        for item in seen.hns.endpoints
        if str(item.get("HostComputeNetwork", "")).lower() not in networks
    ]
    if orphans:
        yield _trouble(f"{len(orphans)} endpoints name a network that is gone", orphans)
    unused = list(_unused(seen))
    if unused:
        yield _trouble(f"no balancer uses {len(unused)} remote endpoints", unused)


def _unused(seen: Observation) -> Iterator[str]:
    """Remote endpoints that neither a balancer nor a Service of the cluster has a use for."""
    if not service_ranges(seen):
        return  # those of cluster IPs could not be told from the others
    networks = {identity(item) for item in seen.hns.networks}
    of = {identity(item): str(item.get("HostComputeNetwork", "")) for item in seen.hns.endpoints}
    wanted = {
        address
        for service in (seen.cluster.services if seen.cluster is not None else ())
        for address in service.backends
    }
    used = used_endpoints(seen)
    for name, there in backend_endpoints(seen).items():
        if name not in used and wanted.isdisjoint(there) and of[name].lower() in networks:
            yield f"{name} {', '.join(there)}".strip()


def _trouble(message: str, found: list[str]) -> Trouble:
    return Trouble(subject="HNS endpoints", message=message, evidence=tuple(found[:_SHOWN]))


DIAGNOSIS = Diagnosis(
    id="hns-endpoints-leaked",
    title="Endpoints left behind in HNS",
    symptom="Services answer slowly or from the wrong pod; after weeks making a pod takes minutes.",
    cause="Services were deleted while kube-proxy did not run: it does not remove the remote "
    "endpoints of Services it never saw.",
    remedy=Remedy(
        "Delete only the endpoints that are named here, by their id: `Get-HnsEndpoint | "
        "Where-Object ID -eq ID | Remove-HnsEndpoint`. kube-proxy does not remove them when it "
        "restarts. Never remove all remote endpoints: every balancer uses some.",
        "Nothing, as long as only the endpoints named here are deleted.",
    ),
    looks_at=("hns", "recipe", "cluster"),
    seen=Seen.STAND_IN,
    examine=_examine,
    severity=Severity.WARNING,
)
