"""Packets of this host may be larger than the network carries."""

from collections.abc import Iterator

from transom.model.finding import Severity
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.flannel_settings import flannel_settings
from transom.node.doctor.hns_objects import subnet_environment
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    wanted = seen.recipe.network.mtu if seen.recipe is not None else None
    cluster = seen.cluster.flannel if seen.cluster is not None else None
    expected, whose = wanted, "the recipe"
    if cluster is not None and cluster.mtu is not None:
        expected, whose = cluster.mtu, "the cluster's Flannel"
    path, own = flannel_settings(seen)
    found = [(own.get("MTU"), path)]
    written = subnet_environment(seen).get("FLANNEL_MTU", "")
    if written.isdigit():
        found.append((int(written), seen.text("\\subnet.env")[0]))
    for value, file in found:
        if isinstance(value, int) and expected is not None and value > expected:
            yield Trouble(
                subject="MTU",
                message=f"the MTU is {value} on this host and {expected} in {whose}",
                evidence=(f"{file}: {value}",),
                file=file,
            )


DIAGNOSIS = Diagnosis(
    id="mtu-differs",
    title="MTU differs",
    symptom="Small answers arrive, large ones hang: TLS handshakes and downloads stall between "
    "Windows and Linux pods.",
    cause="The MTU of this host's pods is larger than that of the rest of the network.",
    remedy=Remedy(
        "Set MTU in net-conf.json to the smaller value and restart flanneld; pods get it when "
        "they are created again.",
        "Restarting flanneld interrupts nothing while the network stays as it is. Each pod that "
        "is created again is down meanwhile.",
    ),
    looks_at=("texts", "recipe", "cluster"),
    seen=Seen.WINE,
    examine=_examine,
    severity=Severity.WARNING,
)
