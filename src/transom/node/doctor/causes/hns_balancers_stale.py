"""The host network service has balancers that lead nowhere, or two for one address."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from transom.model.finding import Severity
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.hns_objects import identity
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_SHOWN = 5


def _examine(seen: Observation) -> Iterator[Trouble]:
    if not seen.hns.settled:
        return
    endpoints = {identity(item) for item in seen.hns.endpoints}
    broken = [
        _shown(item)
        for item in seen.hns.balancers
        if any(str(e).lower() not in endpoints for e in item.get("HostComputeEndpoints") or ())
    ]
    if broken:
        yield _trouble(f"{len(broken)} balancers lead to endpoints that are gone", broken)
    counts = Counter(front for item in seen.hns.balancers for front in set(_fronts(item)))
    doubles = [front for front, count in counts.items() if count > 1]
    if doubles:
        yield _trouble(f"{len(doubles)} addresses have more than one balancer", doubles)


def _fronts(item: Mapping[str, Any]) -> Iterator[str]:
    for vip in item.get("FrontendVIPs") or ():
        for mapping in item.get("PortMappings") or ():
            yield f"{vip}:{mapping.get('ExternalPort')}/{mapping.get('Protocol')}"


def _shown(item: Mapping[str, Any]) -> str:
    return f"{str(item.get('ID', ''))[:8]} {', '.join(_fronts(item))}".strip()


def _trouble(message: str, found: list[str]) -> Trouble:
    return Trouble(subject="HNS balancers", message=message, evidence=tuple(found[:_SHOWN]))


DIAGNOSIS = Diagnosis(
    id="hns-balancers-stale",
    title="Stale balancers in HNS",
    symptom="A Service does not answer from this host though its pods are well; kube-proxy logs "
    "`hcnCreateLoadBalancer failed` with 0xb7.",
    cause="The host network service stopped in the middle of a change, and kube-proxy does not know "
    "of what was left.",
    remedy=Remedy(
        "Restart kube-proxy: it deletes every balancer when it starts and writes them again. On "
        "a busy node drain it first: `kubectl drain NODE --ignore-daemonsets`.",
        "Restarting kube-proxy deletes every balancer: no Service answers from this node until "
        "it has written all of them again, which takes seconds, and minutes with thousands of "
        "Services. Pods keep running.",
    ),
    looks_at=("hns",),
    seen=Seen.STAND_IN,
    examine=_examine,
    severity=Severity.WARNING,
)
