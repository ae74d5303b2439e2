"""The overlay of this host and that of the other nodes have different numbers."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Trouble
from transom.node.doctor.flannel_settings import flannel_settings
from transom.node.doctor.hns_objects import isolation, network
from transom.node.doctor.observation import Observation
from transom.node.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    path, own = flannel_settings(seen)
    there = network(seen)
    plan = seen.recipe.network if seen.recipe is not None else None
    cluster = seen.cluster.flannel if seen.cluster is not None else None
    if plan is not None and plan.mode != "overlay":
        return
    for name, wanted, known in (
        ("VNI", plan.vni if plan else None, cluster.vni if cluster else None),
        ("port", plan.port if plan else None, cluster.port if cluster else None),
    ):
        expected = known if known is not None else wanted
        whose = "the cluster's Flannel" if known is not None else "the recipe"
        found = {"net-conf.json": own.get(name.upper() if name == "VNI" else "Port")}
        if name == "VNI" and there is not None:
            found["the host network service"] = isolation(there)
        for where, value in found.items():
            if expected is not None and value is not None and value != expected:
                yield Trouble(
                    subject=name,
                    message=f"the {name} is {value} in {where} and {expected} in {whose}",
                    evidence=(f"{where}: {value}", f"{whose}: {expected}"),
                    file=path if where == "net-conf.json" else "",
                )


DIAGNOSIS = Diagnosis(
    id="overlay-differs",
    title="VNI or port of the overlay differs",
    symptom="Pods on Windows and Linux do not reach each other; each side alone works.",
    cause="All nodes of an overlay must use one VNI and one UDP port; Windows takes only VNIs from "
    "4096 on and one port, Linux has others by default.",
    remedy="Set Backend VNI and Port of the ConfigMap kube-flannel-cfg as this host has them, "
    "restart Flannel on all nodes, and delete the old network on this host.",
    looks_at=("texts", "hns", "recipe", "cluster"),
    seen=Seen.STAND_IN,
    examine=_examine,
    hides=("node-not-ready",),
)
