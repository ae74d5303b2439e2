"""Fleets of so many hosts and pools."""

from transom.model.fleet import (
    Cluster,
    Fleet,
    Host,
    KubernetesSpec,
    Network,
    Upgrade,
    WinBridgeSpec,
    WindowsSpec,
)


def fleet_of(pools, max_unavailable):
    hosts = tuple(
        Host(
            name=f"h{number}",
            address=f"h{number}",
            windows=WindowsSpec("2022"),
            pool=pool,
            upgrade=Upgrade(max_unavailable=max_unavailable),
        )
        for number, pool in enumerate(pools)
    )
    network = Network(pod_cidrs=(), service_cidrs=(), plugin=WinBridgeSpec())
    return Fleet(
        name="f",
        cluster=Cluster(),
        kubernetes=KubernetesSpec("1.37.1"),
        network=network,
        hosts=hosts,
    )
