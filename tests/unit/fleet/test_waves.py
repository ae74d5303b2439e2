"""Waves: who may be away together."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transom.fleet.waves import waves_of
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


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (1, (("h0",), ("h2",), ("h3",), ("h1",))),
        (2, (("h0", "h2"), ("h3",), ("h1",))),
        ("67%", (("h0", "h2"), ("h3",), ("h1",))),
        ("50%", (("h0",), ("h2",), ("h3",), ("h1",))),
        ("1%", (("h0",), ("h2",), ("h3",), ("h1",))),
    ],
)
def test_pools_come_one_after_the_other_each_in_its_own_steps(wish, expected):
    fleet = fleet_of(["a", "b", "a", "a"], wish)
    assert waves_of(fleet, {host.name for host in fleet.hosts}) == expected


def test_the_most_careful_host_of_a_pool_decides_for_it():
    fleet = fleet_of(["a", "a", "a"], 3)
    careful = replace(fleet.hosts[1], upgrade=Upgrade(max_unavailable=1))
    fleet = replace(fleet, hosts=(fleet.hosts[0], careful, fleet.hosts[2]))
    assert waves_of(fleet, {"h0", "h1", "h2"}) == (("h0",), ("h1",), ("h2",))


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    pools=st.lists(st.sampled_from(["a", "b", None]), max_size=12),
    chosen=st.sets(st.integers(0, 11)),
    wish=st.one_of(st.integers(1, 5), st.sampled_from(["1%", "25%", "100%"])),
)
def test_every_chosen_host_is_in_one_wave_and_no_wave_is_mixed_or_too_large(pools, chosen, wish):
    fleet = fleet_of(pools, wish)
    wanted = {host.name for number, host in enumerate(fleet.hosts) if number in chosen}
    waves = waves_of(fleet, wanted)
    assert sorted(name for wave in waves for name in wave) == sorted(wanted)
    pool_of = {host.name: host.pool for host in fleet.hosts}
    for wave in waves:
        assert len({pool_of[name] for name in wave}) == 1
        pool = [host for host in fleet.hosts if host.pool == pool_of[wave[0]]]
        allowed = wish if isinstance(wish, int) else len(pool) * int(wish[:-1]) / 100
        assert len(wave) <= max(allowed, 1)
