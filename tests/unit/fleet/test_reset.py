"""Resetting hosts of a fleet: what goes wrong half-way is taken up by the same command."""

import asyncio
from dataclasses import replace

import pytest
from tests.support.fleet_apply import _with_pods, apply, cordoned_by, outcomes
from tests.support.fleet_reset import reset

from transom.errors import TemporaryError
from transom.fleet.planning.waves import away_of
from transom.fleet.work.cordon import CORDON, cordon_of
from transom.fleet.work.labels import FLEET, RESETTING
from transom.fleet.work.outcome import Outcome
from transom.model.recipe import PREPARED
from transom.node.host.values import PathKind


@pytest.fixture
def away(simulation, monkeypatch):
    """Nodes in use, and a cluster that deletes none of them; call it to have it delete again."""
    apply(simulation)
    delete = simulation.api.delete_node

    async def refused(name):
        raise TemporaryError(f"cannot delete {name}: the API server is away")

    monkeypatch.setattr(simulation.api, "delete_node", refused)
    return lambda: monkeypatch.setattr(simulation.api, "delete_node", delete)


def test_a_node_that_could_not_be_deleted_is_deleted_by_the_same_command(simulation, away):
    failed = reset(simulation, "win-01")
    assert outcomes(failed) == {"win-01": Outcome.FAILED}
    assert not simulation.machines["win-01"].is_joined
    assert "win-01" in simulation.api.held_nodes
    away()
    assert outcomes(reset(simulation, "win-01")) == {"win-01": Outcome.RESET}
    assert "win-01" not in simulation.api.held_nodes
    home = simulation.machines["win-01"].host.files.kind(r"C:\k\transom")
    assert home is PathKind.ABSENT
    assert outcomes(reset(simulation, "win-01")) == {"win-01": Outcome.UNCHANGED}


def test_a_host_that_joins_again_instead_keeps_its_node(simulation, away):
    reset(simulation, "win-01")
    away()
    apply(simulation)
    node = simulation.api.held_nodes["win-01"]
    assert (node.unschedulable, RESETTING in node.labels, CORDON in node.annotations) == (
        (False,) * 3
    )


def test_a_refused_drain_leaves_the_node_as_it_was(simulation):
    """Its pool has room for a wave as before."""
    apply(simulation)
    _with_pods(simulation)
    key = ("shop", "web-1")
    simulation.api.pods[key] = replace(simulation.api.pods[key], controller="")
    before = simulation.api.held_nodes["win-01"]
    watcher = reset(simulation, "win-01")
    assert "has no controller that replaces it" in str(watcher.ended["win-01"].error)
    assert simulation.api.held_nodes["win-01"] == before
    assert away_of(simulation.fleet, simulation.api.held_nodes.values()) == {}
    assert simulation.machines["win-01"].is_joined


def test_a_cordon_of_a_person_stays_when_a_drain_is_refused(simulation):
    apply(simulation)
    _with_pods(simulation)
    key = ("shop", "web-1")
    simulation.api.pods[key] = replace(simulation.api.pods[key], controller="")
    node = replace(simulation.api.held_nodes["win-01"], unschedulable=True)
    simulation.api.held_nodes["win-01"] = node
    reset(simulation, "win-01")
    assert simulation.api.held_nodes["win-01"] == node


def test_a_reset_that_fails_on_the_host_leaves_a_cordon_that_is_known_as_transoms(
    simulation, monkeypatch
):
    apply(simulation)
    monkeypatch.setattr(
        simulation.machines["win-01"].host.files, "remove_tree", _fails, raising=False
    )
    assert outcomes(reset(simulation, "win-01")) == {"win-01": Outcome.FAILED}
    node = simulation.api.held_nodes["win-01"]
    assert {RESETTING, FLEET} <= set(node.labels)
    held = cordon_of(node)
    assert held is not None
    assert held.verb == "reset"


def _fails(path):
    raise TemporaryError(f"cannot remove {path}: it is open")


def test_labels_of_a_reset_go_when_the_node_takes_pods_again(simulation):
    apply(simulation)
    cordoned_by(simulation, "reset")
    asyncio.run(simulation.api.label_node("win-01", {RESETTING: "true"}))
    apply(simulation)
    assert simulation.api.held_nodes["win-01"].labels == {FLEET: "shop", **PREPARED}
