"""Upgrading and adopting one host: the real node program on a simulated host, a cluster in memory."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.simulation import AUTHORITY, forget_transom
from tests.support.node import KUBERNETES

from transom.errors import PermanentError, Refused, TemporaryError, TransomError, UsageError
from transom.fleet.on_host.run import HostRun
from transom.kube.api import Pod
from transom.model.recipe import PREPARED
from transom.node.host.values import Completed, PathKind

OLD, NEW = "1.36.4", "1.37.1"


@pytest.fixture
def do(world):
    """Do one of the verbs with a wish."""
    return lambda verb, **how: getattr(world, verb)(**how)


def test_a_node_comes_to_the_clusters_version_and_back_to_before_the_join(do, world):
    first = world.host.disk.tree(without="nothing")
    do("join", kubernetes=OLD)
    done = do("upgrade")
    assert (done.before, done.applied.kubelet, done.anew) == (OLD, NEW, False)
    assert "upgrade" in done.applied.changed
    assert len(world.tokens) == 1
    assert do("upgrade").applied.changed == ()
    do("reset")
    assert world.host.disk.tree(without="nothing") == first


def test_an_upgrade_that_needs_a_reboot_can_be_tried_again_or_allowed(do, world):
    do("join", kubernetes=OLD)
    world.host.features.disable("Containers")
    world.host.features.need_reboot.add("Containers")
    with pytest.raises(TemporaryError, match="needs a reboot") as caught:
        do("upgrade")
    assert "--reboot" in caught.value.hint
    done = do("upgrade", reboot=True)
    assert (world.reboots, done.applied.kubelet) == (1, NEW)


def test_an_upgrade_of_a_node_in_use_drains_it(do, world):
    do("join", kubernetes=OLD)
    key = ("shop", "web-1")
    world.api.pods[key] = Pod(namespace="shop", name="web-1", node="win-01", controller="Job")
    world.api.writes = []
    do("upgrade")
    assert world.api.pods == {}
    cordons = [write for write in world.api.writes if "cordon" in write]
    assert cordons == ["cordon win-01", "uncordon win-01"]


def test_a_reset_of_a_node_in_use_drains_it_first(do, world):
    """As the reset of a fleet's host does; whoever does not want to wait says so."""
    do("join")
    pod = Pod(namespace="shop", name="web-1", node="win-01", controller="Job")
    world.api.pods[("shop", "web-1")] = pod
    left: list[int] = []
    follow = HostRun.follow

    async def looked(run, request, event):
        left.append(len(world.api.pods))
        return await follow(run, request, event)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HostRun, "follow", looked)
        assert do("reset").node_deleted
        do("join")
        world.api.pods[("shop", "web-1")] = pod
        assert do("reset", drains=False).node_deleted
    assert left == [0, 0, 1]  # the reset, the join, the reset that does not wait


def test_a_pod_that_cannot_leave_stops_a_reset_before_anything_is_undone(do, world):
    do("join")
    world.api.pods[("shop", "alone")] = Pod(namespace="shop", name="alone", node="win-01")
    before = world.host.snapshot()
    with pytest.raises(TransomError, match="alone"):
        do("reset")
    assert world.host.snapshot() == before
    assert not world.api.held_nodes["win-01"].unschedulable


def test_a_failed_upgrade_is_taken_back_and_named(do, world):
    do("join", kubernetes=OLD)
    world.host.programs["kubeadm-new.exe"] = lambda _host, _argv: Completed(code=1, output="no")
    with pytest.raises(PermanentError, match="kubeadm upgrade node ended with 1: no"):
        do("upgrade")
    assert world.kubelet == OLD
    assert world.host.services.running("kubelet")


def test_a_downgrade_and_a_version_beyond_the_api_server_are_refused(do, world):
    do("join")
    with pytest.raises(Refused) as caught:
        do("upgrade", kubernetes=OLD)
    assert [item.id for item in caught.value.refusals] == ["downgrade"]
    with pytest.raises(Refused) as caught:
        do("upgrade", kubernetes="1.38.0")
    assert "kubelet-skew" in {item.id for item in caught.value.refusals}
    assert world.kubelet == NEW


def test_a_join_does_not_change_a_nodes_version(do, world):
    do("join", kubernetes=OLD)
    with pytest.raises(Refused) as caught:
        do("join")
    assert [item.id for item in caught.value.refusals] == ["upgrade-needed"]
    assert world.kubelet == OLD


def test_a_host_that_is_no_node_is_told_what_to_do(do):
    with pytest.raises(UsageError, match=r"nothing to upgrade") as caught:
        do("upgrade")
    assert "transom adopt" in caught.value.hint


def test_a_change_of_runtime_is_a_reset_and_a_new_join_only_where_allowed(do, world):
    from transom.node.layout import Layout

    do("join", kubernetes=OLD)
    kept = world.host.files.read(Layout().recipe).decode()
    text = kept.replace('"runtime": "containerd"', '"runtime": "docker"')
    world.host.files.write(Layout().recipe, text.encode())
    with pytest.raises(Refused) as caught:
        do("upgrade")
    assert [item.id for item in caught.value.refusals] == ["reset-needed"]
    assert world.kubelet == OLD
    done = do("upgrade", anew=True)
    assert (done.before, done.applied.kubelet, done.anew) == (OLD, NEW, True)
    assert len(world.tokens) == 2


@pytest.fixture
def by_hand(do, world):
    """A node that somebody else made: its program, journal and native service are not there."""
    do("join", kubernetes=OLD)
    world.host.files.write(KUBERNETES + r"\pki\ca.crt", AUTHORITY)
    forget_transom(world.host)
    return world


def test_a_node_is_adopted_at_its_own_version_and_its_plan_is_told(do, by_hand):
    before = by_hand.host.snapshot()["settings"]
    done = do("adopt")
    assert (done.is_new, done.node.kubelet) == (True, OLD)
    drift = {step.step: step.drift for step in done.planned}
    assert drift["services"][0].found == r"C:\k\nssm.exe"
    assert "upgrade" not in drift or all(d.subject != "kubelet" for d in drift["upgrade"])
    assert by_hand.host.snapshot()["settings"] == before
    assert not do("adopt").is_new


def test_a_join_of_a_node_that_others_made_names_the_way_to_adopt_this_machine(do, by_hand):
    with pytest.raises(Refused) as caught:
        do("join", kubernetes=OLD)
    (refusal,) = caught.value.refusals
    assert refusal.id == "not-adopted"
    assert refusal.fix == "`transom adopt 10.0.0.21` takes it over as it is."
    assert by_hand.is_joined


def test_an_adopted_node_is_upgraded_and_given_back_with_its_node(do, by_hand):
    tree = by_hand.host.disk.tree(without="nothing")
    do("adopt")
    assert do("upgrade").applied.kubelet == NEW
    done = do("reset")
    assert not done.node_deleted
    assert by_hand.host.disk.tree(without="nothing") == tree
    assert by_hand.kubelet == OLD


def test_an_adopted_node_runs_the_add_ons_from_its_upgrade_on(do, by_hand):
    """Their pods need the programs and the recipe, which an adoption alone does not bring."""
    theirs = replace(by_hand.api.held_nodes["win-01"], labels={"tier": "web"})
    by_hand.api.held_nodes["win-01"] = theirs
    do("adopt")
    assert by_hand.api.held_nodes["win-01"].labels == {"tier": "web"}
    assert do("upgrade").applied.kubelet == NEW
    assert by_hand.api.held_nodes["win-01"].labels == {"tier": "web", **PREPARED}
    do("reset")
    assert by_hand.api.held_nodes["win-01"].labels == {"tier": "web"}


def test_a_node_whose_label_was_taken_gets_it_back_by_the_same_join(do, world):
    do("join")
    assert world.api.held_nodes["win-01"].labels == PREPARED
    world.api.held_nodes["win-01"] = replace(world.api.held_nodes["win-01"], labels={})
    do("join")
    assert world.api.held_nodes["win-01"].labels == PREPARED


def test_the_pods_of_an_adopted_node_are_sent_away_before_their_programs_are(do, by_hand):
    do("adopt")
    do("upgrade")
    follow, seen = HostRun.follow, []

    async def looked(run, request, event):
        seen.append(dict(by_hand.api.held_nodes["win-01"].labels))
        return await follow(run, request, event)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HostRun, "follow", looked)
        do("reset")
    assert not PREPARED.keys() & seen[0].keys()


def test_a_machine_the_cluster_does_not_know_is_not_adopted(do):
    with pytest.raises(UsageError, match="the cluster has no Node win-01"):
        do("adopt")


@pytest.fixture
def forced(world):
    """Reset with force; what would be taken is shown to a function first."""
    return lambda confirm: world.reset(confirm=confirm)


def test_a_node_somebody_else_made_is_taken_away_by_force_once_it_was_shown(forced, by_hand):
    shown: list[Any] = []
    done = forced(shown.extend)
    assert done.node_deleted
    assert ("service", "kubelet") in {(item.kind, item.subject) for item in shown}
    assert all(item.why for item in shown)
    assert not by_hand.is_joined
    assert by_hand.host.services.get("kubelet") is None
    assert by_hand.host.files.kind(r"C:\k") is PathKind.DIRECTORY  # its maker made it


def test_what_is_not_wanted_is_not_taken(forced, by_hand):
    before = by_hand.host.snapshot()["settings"]

    def refuse(_items):
        raise UsageError("not confirmed; nothing was changed")

    with pytest.raises(UsageError):
        forced(refuse)
    assert by_hand.host.snapshot()["settings"] == before
    assert by_hand.is_joined


def test_an_adopted_node_takes_pods_again_when_it_is_given_back(do, by_hand):
    do("adopt")
    do("reset")
    node = asyncio.run(by_hand.api.node("win-01"))
    assert node is not None
    assert not node.unschedulable
