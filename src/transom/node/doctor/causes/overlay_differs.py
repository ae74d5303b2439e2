"""The overlay of this host and that of the other nodes have different numbers."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.flannel_settings import flannel_settings
from transom.node.doctor.hns_objects import isolation, network
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_VXLAN = "vxlan"


def _examine(seen: Observation) -> Iterator[Trouble]:
    plan = seen.recipe.network if seen.recipe is not None else None
    cluster = seen.cluster.flannel if seen.cluster is not None else None
    if (plan is not None and plan.mode != "overlay") or (cluster and cluster.backend != _VXLAN):
        return
    path, own = flannel_settings(seen)
    there = network(seen)
    number = isolation(there) if there is not None else None
    for name, key, wanted, known, made in (
        ("VNI", "VNI", plan and plan.vni, cluster and cluster.vni, number),
        ("port", "Port", plan and plan.port, cluster and cluster.port, None),
    ):
        if cluster is not None and known is None:
            yield Trouble(
                subject=name,
                message=f"the cluster's Flannel names no {name}: Linux nodes use a default that "
                "Windows cannot",
                evidence=("ConfigMap kube-flannel-cfg, net-conf.json, Backend",),
            )
            continue
        expected = known or wanted
        whose = "the cluster's Flannel" if known else "the recipe"
        for value, where, file in (
            (own.get(key), "net-conf.json", path),
            (made, "the host network service", ""),
        ):
            if expected and value is not None and value != expected:
                yield Trouble(
                    subject=name,
                    message=f"the {name} is {value} in {where} and {expected} in {whose}",
                    evidence=(f"{where}: {value}", f"{whose}: {expected}"),
                    file=file,
                )


DIAGNOSIS = Diagnosis(
    id="overlay-differs",
    title="VNI or port of the overlay differs",
    symptom="Pods on Windows and Linux do not reach each other; each side alone works.",
    cause="All nodes of an overlay must use one VNI and one UDP port; Windows takes only VNIs from "
    "4096 on and one port, Linux has others by default.",
    remedy=Remedy(
        "Correct the smaller side. If only this host differs, correct its net-conf.json, drain "
        "the node, delete the network (`Get-HnsNetwork | Where-Object Name -eq NAME | "
        "Remove-HnsNetwork`) and restart flanneld and kube-proxy. If the cluster's ConfigMap "
        "kube-flannel-cfg lacks the values Windows needs, set Backend VNI and Port there and "
        "restart Flannel node by node.",
        "On this host: every pod on this node loses its network until it is created again, no "
        "Service answers from this node meanwhile, and the host's own connections drop for some "
        "seconds. Drain "
        "the node first: `kubectl drain NODE --ignore-daemonsets`. Changing the ConfigMap: pods "
        "on nodes with the old and the new values do not reach each other until Flannel has "
        "restarted on all nodes.",
    ),
    looks_at=("texts", "hns", "recipe", "cluster"),
    seen=Seen.STAND_IN,
    examine=_examine,
    hides=("node-not-ready",),
)
