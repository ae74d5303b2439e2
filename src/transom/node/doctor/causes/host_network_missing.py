"""Legacy: the Docker network that pods with hostNetwork are put on is gone."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    if seen.recipe is None or not seen.hns.is_known or not seen.journal.joined:
        return
    there = {str(item.get("Name")) for item in seen.hns.networks}
    for network in seen.recipe.host_networks:
        if network.name not in there:
            yield Trouble(
                subject=network.name,
                message=f"Docker's network {network.name} is gone from the host network service",
                evidence=(f"networks there are: {', '.join(sorted(there)) or 'none'}",),
            )


DIAGNOSIS = Diagnosis(
    id="host-network-missing",
    title="Docker's host network missing",
    symptom="Pods with hostNetwork, as kube-proxy and Flannel through wins, stay in "
    "ContainerCreating: `network host not found`.",
    cause="Docker lost the network with a reset of the host network service, as after some reboots.",
    remedy=Remedy(
        "`transom join ADDRESS` makes it again and sees that its service runs; by hand, `docker "
        "network create -d nat host`.",
        "Nothing: pods without this network cannot start now.",
    ),
    looks_at=("hns", "journal", "recipe"),
    seen=Seen.SIMULATED,
    examine=_examine,
)
