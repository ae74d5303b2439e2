"""Services that kube-proxy had written into the host network service are gone from it."""

import ipaddress
from collections.abc import Iterator

from transom.model.sight import ServiceSight
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.hns_objects import backend_endpoints
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_SHOWN = 5
# A Service this young may not have been written yet.
_YOUNG_S = 60


def _examine(seen: Observation) -> Iterator[Trouble]:
    if not seen.hns.settled:
        return
    # kube-proxy makes a backend's endpoint right before the balancer: one without the other was purged.
    backends = {address for there in backend_endpoints(seen).values() for address in there}
    known = seen.cluster is not None and "services" not in seen.cluster.unread
    lost = list(_lost(seen, backends)) if known else []
    if lost:
        yield Trouble(
            subject="HNS balancers",
            message=f"{len(lost)} Services have endpoints and no balancer on this host",
            evidence=tuple(lost[:_SHOWN]),
        )
    elif backends and not seen.hns.balancers:
        # The Service `kubernetes` has a balancer on every node.
        yield Trouble(
            subject="HNS balancers",
            message=f"there are {len(backends)} backends of Services and not one balancer",
            evidence=tuple(sorted(backends)[:_SHOWN]),
        )


def _lost(seen: Observation, backends: set[str]) -> Iterator[str]:
    served = {str(vip) for item in seen.hns.balancers for vip in item.get("FrontendVIPs") or ()}
    cluster = seen.cluster
    for service in cluster.services if cluster is not None else ():
        is_young = cluster is not None and service.created > cluster.time - _YOUNG_S
        missing = [item for item in _version_4(service) if item not in served]
        if missing and not is_young and backends.intersection(service.backends):
            yield f"{service.namespace}/{service.name} {', '.join(missing)}"


def _version_4(service: ServiceSight) -> list[str]:
    return [item for item in service.addresses if ipaddress.ip_address(item).version == 4]  # noqa: PLR2004


DIAGNOSIS = Diagnosis(
    id="hns-balancers-missing",
    title="Balancers gone from HNS",
    symptom="Services, cluster DNS among them, do not answer from this host though pods reach each "
    "other by address; kube-proxy runs and logs nothing.",
    cause="The host network service crashed or was restarted and lost its balancers; kube-proxy "
    "believes that it has written them and does not write them again.",
    remedy=Remedy(
        "Restart kube-proxy: it writes every balancer when it starts. If it happens again, look in "
        "the System event log for a crash of the service hns.",
        "Restarting kube-proxy deletes every balancer that is left: no Service answers from this "
        "node until it has written all of them again, which takes seconds, and minutes with "
        "thousands of Services. Pods keep running.",
    ),
    looks_at=("hns", "recipe", "cluster"),
    seen=Seen.SIMULATED,
    examine=_examine,
    hides=("hns-endpoints-leaked", "node-not-ready"),
)
