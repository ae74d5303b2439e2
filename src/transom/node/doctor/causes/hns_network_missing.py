"""The pod network was on this host and is not any more."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.hns_objects import network, network_name, network_was_there
from transom.node.doctor.observation import RUNNING, Observation
from transom.node.engine.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    if not seen.hns.is_known or not network_was_there(seen) or network(seen) is not None:
        return
    name = network_name(seen)
    if not name:
        return
    others = ", ".join(str(item.get("Name")) for item in seen.hns.networks) or "none"
    flanneld = seen.service("flanneld")
    stopped = flanneld is not None and flanneld.state != RUNNING
    yield Trouble(
        subject=name,
        message=f"the network {name} is gone from the host network service"
        + (", and flanneld, which makes it, does not run" if stopped else ""),
        evidence=(f"networks there are: {others}",),
        file=seen.text("\\subnet.env")[0],
        remedy=Remedy(
            "Start flanneld, which creates the network again: `Start-Service flanneld`. Delete the "
            "pods that had an address of the lost network: they get a new one.",
            DIAGNOSIS.remedy.interrupts,
        )
        if stopped
        else None,
    )


DIAGNOSIS = Diagnosis(
    id="hns-network-missing",
    title="Pod network missing",
    symptom="After a reboot pods do not come back: `network ... not found`; kube-proxy waits for "
    "the network for ever.",
    cause="An overlay network does not outlive a reboot; flanneld, which creates it again, did not "
    "run, or somebody deleted it.",
    remedy=Remedy(
        "Restart flanneld on this host (its pod or its service), then kube-proxy. Delete the "
        "pods that had an address of the lost network: they get a new one.",
        "Creating the network drops the host's own connections for some seconds. Pods on this "
        "node have no network already and must be created again; Services do not answer from "
        "this node until kube-proxy has written its balancers.",
    ),
    looks_at=("hns", "texts", "recipe"),
    seen=Seen.STAND_IN,
    examine=_examine,
    hides=(
        "host-network-missing",
        "overlay-differs",
        "source-vip-outside",
        "hns-balancers-missing",
        "node-not-ready",
    ),
)
