"""The address kube-proxy speaks from is not one of this host's pod network."""

import contextlib
import json
from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.hns_objects import contains, network, network_name, prefixes
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_OVERLAY = "overlay"


def _examine(seen: Observation) -> Iterator[Trouble]:
    there = network(seen)
    # On a bridge kube-proxy speaks from the node's address (proxier.go:1435), whatever it is given.
    if there is None or str(there.get("Type", _OVERLAY)).lower() != _OVERLAY:
        return
    mine = prefixes(there)
    if not mine:
        return
    for address, where in dict(_addresses(seen)).items():
        if not any(contains(prefix, address) for prefix in mine):
            yield Trouble(
                subject=address,
                message=f"the source address {address} is outside {', '.join(mine)} of "
                f"{network_name(seen)}",
                evidence=(f"{where or 'the command line of kube-proxy'}: {address}",),
                file=where,
            )


def _addresses(seen: Observation) -> Iterator[tuple[str, str]]:
    proxy = seen.service("kube-proxy")
    given = proxy.option("source-vip") if proxy is not None else None
    if given:
        yield given, ""
    path, text = seen.text("\\sourceVip.json")
    with contextlib.suppress(ValueError, KeyError, TypeError):
        yield str(json.loads(text)["ip4"]["ip"]).partition("/")[0], path
    for balancer in seen.hns.balancers:
        source = str(balancer.get("SourceVIP") or "")
        # Where a backend is a node or outside the cluster, as the API server is, winkernel takes the
        # node's own address (kubernetes v1.37.1 pkg/proxy/winkernel/proxier.go:1438-1495).
        if source and source not in seen.addresses:
            yield source, "balancers of the host network service"


DIAGNOSIS = Diagnosis(
    id="source-vip-outside",
    title="Source address outside the pod network",
    symptom="Services do not answer from pods of this host; kube-proxy logs `IP address is not "
    "part of any configured subnet`.",
    cause="kube-proxy was given an address that was reserved in an older network, or that somebody "
    "made up.",
    remedy=Remedy(
        "Remove the kept reservation (sourceVip.json), reserve an address with host-local in "
        "the network there is, and restart kube-proxy.",
        "Restarting kube-proxy deletes every balancer: no Service answers from this node until "
        "it has written all of them again, which takes seconds, and minutes with thousands of "
        "Services. Pods keep running.",
    ),
    looks_at=("addresses", "services", "texts", "hns"),
    seen=Seen.STAND_IN,
    examine=_examine,
)
