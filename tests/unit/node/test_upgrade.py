"""Upgrades of a node: done, refused, failed and rolled back, cut off; and the journal they leave."""

import json
import random

import pytest
from tests.support.node import KUBELET, KUBERNETES, NEWER, newer

from transom.errors import PermanentError, Refused, TemporaryError
from transom.model.request import Verb
from transom.node.engine.journal import Journal
from transom.node.engine.runner import Ending, Runner
from transom.node.host.values import Completed, NodeHealth, PathKind
from transom.node.layout import Layout
from transom.node.steps import STEPS
from transom.node.steps.services import Services
from transom.testing.faults import Fault, PowerCut

LAYOUT = Layout()


@pytest.fixture
def run(request_for):
    """Run a verb on a host under a name; a newer recipe for upgrades unless another is given."""

    def start(host, verb, name, *, steps=STEPS, **changes):
        request = request_for(verb, remove_features=True, **changes)
        return Runner(host, LAYOUT, name, steps).execute(request)

    return start


@pytest.fixture
def node(make_host, run):
    """A host that joined, and how it was before and after that."""
    host = make_host()
    first = host.snapshot()
    run(host, Verb.JOIN, "join")
    return host, first, host.snapshot()


def events(host, name):
    return [json.loads(line) for line in host.disk.read(LAYOUT.events(name)).splitlines()]


def contents(host):
    found = Journal.look(host.disk, LAYOUT.journal)
    assert found is not None
    return found


def test_an_upgrade_brings_programs_configuration_and_command_line(node, run, newer_recipe):
    host, first, _ = node
    done = run(host, Verb.UPGRADE, "up", recipe=newer_recipe)
    assert done.ending is Ending.DONE
    assert "upgrade" in done.changed
    assert host.cluster.healthy("win-01") == NodeHealth(
        ready=True, kubelet=NEWER, problem="stopped"
    )
    assert b'"new": true' in host.disk.read(KUBELET + r"\config.yaml")
    definition = host.services.get("kubelet")
    assert definition is not None
    assert "--new" in definition.command
    assert host.services.running("containerd")
    assert run(host, Verb.UPGRADE, "again", recipe=newer_recipe).changed == ()
    run(host, Verb.RESET, "reset", recipe=newer_recipe)
    assert host.snapshot() == first


def test_kubeadm_writes_before_anything_that_runs_is_stopped(node, run, newer_recipe):
    host, _, _ = node
    upgrade = host.programs["kubeadm-new.exe"]
    alive = []

    def watched(inner, argv):
        alive.append(set(host.services.alive))
        return upgrade(inner, argv)

    host.programs["kubeadm-new.exe"] = watched
    run(host, Verb.UPGRADE, "up", recipe=newer_recipe)
    assert alive == [{"spooler", "containerd", "kubelet", "kube-proxy"}]
    assert host.files.kind(r"C:\k\kubeadm-new.exe") is PathKind.ABSENT


def test_a_runtime_that_a_power_cut_left_stopped_is_started_for_kubeadm(node, run, newer_recipe):
    host, _, _ = node
    host.services.stop("containerd")
    run(host, Verb.UPGRADE, "up", recipe=newer_recipe)
    assert {"containerd", "kubelet"} <= host.services.alive


def test_a_failing_kubeadm_leaves_the_node_as_it_was(node, run, newer_recipe):
    host, first, joined = node
    host.programs["kubeadm-new.exe"] = lambda _host, _argv: Completed(code=1, output="no way")
    with pytest.raises(PermanentError, match="kubeadm upgrade node ended with 1: no way"):
        run(host, Verb.UPGRADE, "up", recipe=newer_recipe)
    assert host.snapshot() == joined
    run(host, Verb.RESET, "reset")
    assert host.snapshot() == first


def test_a_node_that_does_not_come_back_is_rolled_back_and_ready_again(node, run, newer_recipe):
    host, first, joined = node
    told = host.cluster.healthy

    def healthy(name):
        found = told(name)
        if found.kubelet == NEWER:
            return NodeHealth(ready=False, kubelet=NEWER, problem="PLEG is not healthy")
        return found

    host.cluster.healthy = healthy
    with pytest.raises(PermanentError, match=r"not Ready: PLEG is not healthy for 300 s"):
        run(host, Verb.UPGRADE, "up", recipe=newer_recipe)
    assert host.snapshot() == joined
    said = [event["message"] for event in events(host, "up") if event["state"] == "noted"]
    assert said[-1] == "taken back: win-01 runs 1.37.1 again and is Ready"
    run(host, Verb.RESET, "reset")
    assert host.snapshot() == first


def test_a_node_that_stays_down_after_the_rollback_is_said_so(node, run, newer_recipe):
    host, _, _ = node
    before = host.cluster.healthy("win-01")
    answers = [before]
    host.cluster.healthy = lambda _name: answers.pop() if answers else None
    with pytest.raises(PermanentError):
        run(host, Verb.UPGRADE, "up", recipe=newer_recipe)
    last = [event for event in events(host, "up") if event["state"] == "noted"][-1]
    assert last["level"] == "error"
    assert "but the cluster has no such Node" in last["message"]


def test_a_node_that_was_not_ready_need_not_be_so_afterwards(node, run, newer_recipe):
    host, _, _ = node
    told = host.cluster.healthy

    def healthy(name):
        return NodeHealth(ready=False, kubelet=told(name).kubelet, problem="no network")

    host.cluster.healthy = healthy
    assert run(host, Verb.UPGRADE, "up", recipe=newer_recipe).ending is Ending.DONE


def test_an_upgrade_without_an_api_server_touches_nothing(node, run, newer_recipe):
    host, _, joined = node

    def silent(_name):
        raise TemporaryError("cannot ask the API server")

    host.cluster.healthy = silent
    with pytest.raises(TemporaryError):
        run(host, Verb.UPGRADE, "up", recipe=newer_recipe)
    assert host.snapshot() == joined


def test_a_cancelled_upgrade_is_taken_back(node, run, newer_recipe):
    host, _, joined = node

    class Cancelling(Services):
        def apply(self, inner, drift):
            super().apply(inner, drift)
            host.files.write(LAYOUT.cancel, b"")

    steps = tuple(Cancelling() if step.id == "services" else step for step in STEPS)
    done = run(host, Verb.UPGRADE, "up", recipe=newer_recipe, steps=steps)
    assert done.ending is Ending.CANCELLED
    host.files.remove(LAYOUT.cancel)
    assert host.snapshot() == joined


def test_a_downgrade_is_refused(node, run, newer_recipe, recipe):
    host, _, _ = node
    run(host, Verb.UPGRADE, "up", recipe=newer_recipe)
    with pytest.raises(Refused) as caught:
        run(host, Verb.UPGRADE, "down", recipe=recipe)
    assert [item.id for item in caught.value.refusals] == ["downgrade"]


def test_a_join_replaces_no_version(node, run, newer_recipe):
    host, _, joined = node
    with pytest.raises(Refused) as caught:
        run(host, Verb.JOIN, "again", recipe=newer_recipe)
    assert [item.id for item in caught.value.refusals] == ["upgrade-needed"]
    assert host.snapshot() == joined


def test_another_runtime_or_way_is_a_new_node(node, run, newer_recipe):
    from dataclasses import replace

    host, _, _ = node
    legacy = replace(newer_recipe, target=replace(newer_recipe.target, runtime="docker"))
    with pytest.raises(Refused) as caught:
        run(host, Verb.UPGRADE, "up", recipe=legacy)
    (refusal,) = caught.value.refusals
    assert refusal.id == "reset-needed"
    assert "reset it and join it" in refusal.fix


def test_a_host_that_never_joined_is_not_upgraded(make_host, run, newer_recipe):
    host = make_host()
    with pytest.raises(Refused) as caught:
        run(host, Verb.UPGRADE, "up", recipe=newer_recipe)
    assert [item.id for item in caught.value.refusals] == ["not-ours"]


def test_a_plan_of_an_upgrade_names_it_and_writes_nothing(node, request_for, newer_recipe):
    host, _, _ = node
    host.calls.clear()
    request = request_for(Verb.PLAN, plan_for=Verb.UPGRADE, recipe=newer_recipe)
    plan = Runner(host, LAYOUT, "plan").plan(request)
    assert {step.id for step, drift in plan.steps if drift} >= {"upgrade", "files", "services"}
    assert host.calls.writes == []


def test_the_journal_does_not_grow_with_upgrades(node, run, recipe):
    """Ten upgrades to and fro leave the journal and the copies that one leaves."""
    host, first, _ = node
    sizes = []
    for turn in range(10):
        version = f"1.37.{turn + 2}"
        base = newer(recipe) if turn % 2 == 0 else recipe
        wanted = _as(base, version)
        host.cluster.healthy = lambda _name, v=version: NodeHealth(ready=True, kubelet=v)
        run(host, Verb.UPGRADE, f"up{turn}", recipe=wanted)
        journal = len(host.disk.read(LAYOUT.journal))
        sizes.append((journal, host.files.entries(LAYOUT.saved)))
    assert sizes[2:] == sizes[:-2]
    run(host, Verb.RESET, "reset")
    assert host.snapshot() == first


def _as(recipe, version):
    from dataclasses import replace

    from tests.support.node import PATCH

    files = recipe.files if PATCH in recipe.files else (*recipe.files, PATCH)
    return replace(recipe, target=replace(recipe.target, kubernetes=version), files=files)


def test_copies_that_no_undo_needs_are_removed(node, run, newer_recipe):
    host, _, _ = node
    run(host, Verb.UPGRADE, "up", recipe=newer_recipe)
    needed = {(intent.before or {}).get("saved") for intent in contents(host).intents}
    kept = {f"{LAYOUT.saved}\\{name}" for name in host.files.entries(LAYOUT.saved)}
    assert kept == needed - {None}


def test_what_kubeadm_leaves_below_tmp_goes_and_what_was_there_stays(node, run, newer_recipe):
    host, _, _ = node
    tmp = KUBERNETES + r"\tmp"
    host.files.make_directory(tmp + r"\kubeadm-kubelet-config0")
    before = host.snapshot()
    host.cluster.healthy = lambda _name: NodeHealth(ready=True, kubelet="1.37.1")
    with pytest.raises(PermanentError):
        run(host, Verb.UPGRADE, "up", recipe=newer_recipe)
    assert host.snapshot() == before
    assert host.files.entries(tmp) == ("kubeadm-kubelet-config0",)


@pytest.mark.parametrize("seed", range(25))
def test_a_power_cut_anywhere_in_an_upgrade_is_recovered(node, run, newer_recipe, seed):
    """Cut three times at random calls, the upgrade ends where a quiet one ends, and is taken back."""
    host, first, _ = node
    chance = random.Random(seed)
    for verb in (Verb.UPGRADE, Verb.RESET):
        for attempt in range(3):
            host.calls.inject(Fault.CUT_AFTER, at=chance.randrange(1, 700))
            try:
                run(host, verb, f"{verb.value}{attempt}", recipe=newer_recipe)
            except PowerCut:
                host.power_cycle(chance)
            host.calls.clear()
        run(host, verb, verb.value, recipe=newer_recipe)
        if verb is Verb.UPGRADE:
            assert host.cluster.healthy("win-01").ready
            assert run(host, verb, "again", recipe=newer_recipe).changed == ()
    assert host.snapshot() == first


@pytest.mark.parametrize("seed", range(10))
def test_an_upgrade_cut_off_and_given_up_leaves_the_old_node(node, run, newer_recipe, seed):
    """Undo after a power cut: the old program, command line and configuration, and it runs."""
    host, _, joined = node
    chance = random.Random(seed)
    host.calls.inject(Fault.CUT_AFTER, at=chance.randrange(1, 500))
    try:
        run(host, Verb.UPGRADE, "up", recipe=newer_recipe)
    except PowerCut:
        host.power_cycle(chance)
    host.calls.clear()
    run(host, Verb.UNDO, "undo", recipe=newer_recipe)
    if contents(host).settled and host.cluster.healthy("win-01").kubelet != NEWER:
        assert host.snapshot() == joined
        assert host.cluster.healthy("win-01").ready
