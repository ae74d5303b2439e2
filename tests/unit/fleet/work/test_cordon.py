"""Cordons: each says whose it is, is made in one change, and is taken back by nobody else."""

import asyncio
import json
from dataclasses import replace

import pytest
from tests.simulation import NOW
from tests.support.cluster import MemoryApi
from tests.support.fleet_apply import _with_pods, apply, cordoned_by

from transom.errors import PermanentError
from transom.fleet.work.cordon import CORDON, Holder, cordon, cordon_of, uncordon
from transom.fleet.work.labels import MAINTAINED
from transom.kube.api import Node

ANN = Holder(name="ann@laptop", verb="apply", run="2")


def cluster(**node):
    return MemoryApi(
        server_version="1.37.1", held_nodes={"win-01": Node(name="win-01", ready=True, **node)}
    )


def cordoned(holder=ANN, **node):
    api = cluster(**node)
    asyncio.run(cordon(api, "win-01", holder, reason="pods-stop", now=NOW))
    return api


def let_go(api, holder=ANN):
    return asyncio.run(uncordon(api, api.held_nodes["win-01"], holder))


def by_hand(simulation, *, unschedulable, name="win-01"):
    """What `kubectl cordon` and `kubectl uncordon` do: they know no note of ours."""
    node = simulation.held_nodes[name]
    manager = "kubectl" if unschedulable else ""
    simulation.held_nodes[name] = replace(node, unschedulable=unschedulable, cordoned_by=manager)


def test_a_cordon_says_who_holds_it_since_when_and_why():
    node = cordoned().held_nodes["win-01"]
    assert node.unschedulable
    assert json.loads(node.annotations[CORDON]) == {
        "holder": "ann@laptop",
        "verb": "apply",
        "run": "2",
        "since": "2026-01-02T03:04:00Z",
        "reason": "pods-stop",
    }
    held = cordon_of(node)
    assert held is not None
    assert held.said == "by `transom apply` by ann@laptop since 2026-01-02T03:04:00Z"


def test_note_and_cordon_are_one_change_and_go_together():
    class Counting(MemoryApi):
        changes = 0

        async def set_unschedulable(self, name, *, unschedulable, annotations=None):
            Counting.changes += 1
            await super().set_unschedulable(
                name, unschedulable=unschedulable, annotations=annotations
            )

        async def label_node(self, name, labels):
            Counting.changes += 1
            await super().label_node(name, labels)

    api = Counting(server_version="1", held_nodes=dict(cluster().held_nodes))
    asyncio.run(cordon(api, "win-01", ANN, reason="", now=NOW))
    asyncio.run(cordon(api, "win-01", ANN, reason="", now=NOW))  # a second turn
    assert let_go(api)
    assert Counting.changes == 2
    node = api.held_nodes["win-01"]
    assert (node.unschedulable, node.annotations) == (False, {})


@pytest.mark.parametrize(
    ("left_by", "taken_back_by", "is_taken_back"),
    [
        ("apply", "apply", True),
        ("apply", "upgrade", True),
        ("reset", "apply", True),
        ("maintain", "maintain", True),
        ("maintain", "apply", False),
        ("maintain", "upgrade", False),
        ("apply", "maintain", False),
        ("apply", "reset", False),
    ],
)
def test_a_command_takes_back_what_one_of_its_kind_left(left_by, taken_back_by, is_taken_back):
    api = cordoned(Holder(name="bob", verb=left_by, run="1"))
    assert let_go(api, replace(ANN, verb=taken_back_by)) is is_taken_back
    assert api.held_nodes["win-01"].unschedulable is not is_taken_back


def test_who_works_on_a_node_takes_the_cordon_of_an_unfinished_run_over():
    api = cordoned(Holder(name="bob", verb="maintain", run="1"))
    asyncio.run(cordon(api, "win-01", ANN, reason="", now=NOW))
    held = cordon_of(api.held_nodes["win-01"])
    assert held is not None
    assert (held.holder, held.verb) == ("ann@laptop", "apply")
    assert let_go(api)


def test_what_a_person_cordoned_stays_theirs():
    api = cordoned(unschedulable=True)
    assert (let_go(api), api.held_nodes["win-01"].unschedulable) == (False, True)
    assert api.held_nodes["win-01"].annotations == {}


def test_a_cordon_that_a_person_took_back_and_made_again_is_theirs():
    """The note of the earlier run is still there, and says nothing of the later cordon."""
    api = cordoned(Holder(name="bob", verb="apply", run="1"))
    by_hand(api, unschedulable=False)
    by_hand(api, unschedulable=True)
    assert cordon_of(api.held_nodes["win-01"]) is None
    assert (let_go(api), api.held_nodes["win-01"].unschedulable) == (False, True)


def test_a_note_that_is_no_longer_true_is_taken_off():
    api = cordoned()
    by_hand(api, unschedulable=False)
    assert not let_go(api)
    assert CORDON not in api.held_nodes["win-01"].annotations


@pytest.mark.parametrize("note", ["", "no json", "[]", '"x"', '{"holder": "ann"}', "[" * 2000])
def test_a_note_that_cannot_be_read_is_another_hands(note):
    api = cluster(unschedulable=True, cordoned_by="transom", annotations={CORDON: note})
    assert cordon_of(api.held_nodes["win-01"]) is None
    assert not let_go(api)


def test_a_node_that_is_not_there_cannot_be_cordoned():
    with pytest.raises(PermanentError, match="no Node win-02"):
        asyncio.run(cordon(cluster(), "win-02", ANN, reason="", now=NOW))


def test_an_apply_with_nothing_to_do_leaves_a_node_under_maintenance_alone(simulation):
    apply(simulation)
    cordoned_by(simulation, "maintain")
    simulation.api.writes = []
    _, watcher = apply(simulation)
    assert simulation.api.held_nodes["win-01"].unschedulable
    assert simulation.api.writes == []
    assert watcher.ended["win-01"].notes == (
        "win-01 stays cordoned: by `transom maintain` by bob since 2026-01-02T03:04:00Z",
    )


def test_an_apply_with_nothing_to_do_leaves_a_persons_cordon_alone(simulation):
    apply(simulation)
    cordoned_by(simulation, "apply")
    by_hand(simulation.api, unschedulable=False)
    by_hand(simulation.api, unschedulable=True)
    apply(simulation)
    assert simulation.api.held_nodes["win-01"].unschedulable


def test_a_node_in_its_wave_says_whose_it_is(simulation, monkeypatch):
    apply(simulation)
    _with_pods(simulation)
    simulation.machines["win-01"].host.features.disable("Containers")
    seen, evict = [], simulation.api.evict

    async def looked(pod, *, grace_period_s=None):
        seen.append(cordon_of(simulation.api.held_nodes[pod.node]))
        return await evict(pod, grace_period_s=grace_period_s)

    monkeypatch.setattr(simulation.api, "evict", looked)
    apply(simulation)
    assert [held and (held.holder, held.verb) for held in seen] == [("ann", "apply")]
    assert MAINTAINED not in simulation.api.held_nodes["win-01"].labels


def test_a_node_whose_pods_cannot_leave_is_as_it_was_before_whoever_held_it(simulation):
    """A cordon that was taken over is its holder's again, with what it said."""
    apply(simulation)
    _with_pods(simulation, budget=2)
    for name, machine in simulation.machines.items():
        machine.host.features.disable("Containers")
        if name == "win-02":
            cordoned_by(simulation, "maintain", name)
    simulation.api.held_nodes["win-01"] = replace(
        simulation.api.held_nodes["win-01"], ready=False, problem="PLEG is not healthy"
    )
    before = dict(simulation.api.held_nodes)
    _, watcher = apply(simulation)
    assert "The disruption budget web needs 2" in str(watcher.ended["win-01"].error)
    assert simulation.api.held_nodes == before
