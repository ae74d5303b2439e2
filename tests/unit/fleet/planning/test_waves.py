"""Waves: who may be away together."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.fleet_waves import fleet_of

from transom.fleet.planning.waves import Away, away_of, next_wave, pools_of, waves_of
from transom.fleet.work.cordon import CORDON
from transom.kube.api import Node
from transom.model.fleet import (
    Upgrade,
)

NOTE = '{"holder": "ann", "verb": "apply", "run": "1", "since": "2026-01-02T03:04:05Z"}'


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


@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(
    pools=st.lists(st.sampled_from(["a", "b", None]), max_size=10),
    chosen=st.sets(st.integers(0, 9)),
    away=st.dictionaries(st.integers(0, 9), st.booleans()),
    wish=st.one_of(st.integers(1, 4), st.sampled_from(["1%", "34%", "100%"])),
)
def test_no_wave_takes_a_pool_beyond_its_limit_and_those_away_come_first(pools, chosen, away, wish):
    fleet = fleet_of(pools, wish)
    names = [host.name for host in fleet.hosts]
    wanted = {name for number, name in enumerate(names) if number in chosen}
    still = {name: Away(why="", lasts=away[n]) for n, name in enumerate(names) if n in away}
    waves = waves_of(fleet, wanted, still)
    assert len({name for wave in waves for name in wave}) == sum(map(len, waves))
    pool_of = {name: pool for pool in pools_of(fleet) for name in pool.hosts}
    left = set(wanted)
    for wave in waves:
        (pool,) = {pool_of[name] for name in wave}
        taken = [name for name in wave if name not in still]
        gone = [name for name in pool.hosts if name in still]
        assert len(wave) <= pool.limit
        assert not taken or len(gone) + len(taken) <= pool.limit
        # Whoever is left and away already comes no later than anyone who is not.
        assert not taken or {name for name in gone if name in left} <= set(wave)
        left -= set(wave)
        still = {name: why for name, why in still.items() if name not in wave or why.lasts}
    full = next((pool for pool in pools_of(fleet) if left & set(pool.hosts)), None)
    if full is not None:
        assert sum(name in still for name in full.hosts) >= full.limit
        assert next_wave(full, left, still) == ()


def test_a_node_cordoned_by_others_is_worked_on_first_and_then_leaves_no_room():
    fleet = fleet_of(["a", "a", "a"], 1)
    hosts = {"h0", "h1", "h2"}
    assert waves_of(fleet, hosts, {"h2": Away(why="")}) == (("h2",), ("h0",), ("h1",))
    assert waves_of(fleet, hosts, {"h2": Away(why="", lasts=True)}) == (("h2",),)
    assert waves_of(fleet, {"h0"}, {"h1": Away(why="")}) == ()


def test_who_is_away_is_said_with_the_reason():
    fleet = fleet_of(["a"] * 6, 1)
    nodes = [
        Node(name="h0", ready=True),
        Node(name="h1", ready=True, unschedulable=True),
        Node(name="h2", ready=False, problem="PLEG is not healthy"),
        Node(name="h3", ready=True, unschedulable=True, annotations={CORDON: NOTE}),
        Node(name="h4", ready=False, unschedulable=True),
        Node(name="of-another-fleet", ready=False),
    ]
    assert away_of(fleet, nodes) == {
        "h1": Away(why="cordoned by somebody else", lasts=True),
        "h2": Away(why="NotReady: PLEG is not healthy"),
        "h3": Away(
            why="cordoned by `transom apply` by ann since 2026-01-02T03:04:05Z, "
            "in a run that did not come to its end"
        ),
        "h4": Away(why="cordoned by somebody else, and NotReady", lasts=True),
        "h5": Away(why="no Node: not joined yet, or deleted"),
    }
