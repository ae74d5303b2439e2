"""Nodes that somebody else made: recorded as found, brought to a recipe, and given back as found."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.node import KUBELET, KUBERNETES, NEWER, OWNER
from tests.support.node_doctor import pem

from transom.errors import PermanentError, Refused
from transom.kube.authority import authority_pins
from transom.model.request import Verb
from transom.model.step_id import StepId
from transom.node.engine.journal import Journal
from transom.node.engine.runner import Runner
from transom.node.engine.step import NodeSpec
from transom.node.host.values import PathKind, ServiceDefinition
from transom.node.layout import Layout
from transom.node.steps import STEPS
from transom.testing.faults import Fault, PowerCut

LAYOUT = Layout()
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
AUTHORITY = pem("kubernetes", _NOW, _NOW + timedelta(days=3650))
WRAPPER = ServiceDefinition(
    command=r"C:\k\nssm.exe", display_name="kubelet", start="auto", depends_on=("containerd",)
)


OURS = replace(OWNER, cluster=authority_pins(AUTHORITY)[0])


@pytest.fixture
def by_hand(make_host, recipe, secrets):
    """A node as PrepareNode.ps1 leaves one: no journal, its kubelet behind a wrapper."""
    host = make_host()
    for step in STEPS:
        step.apply(host, step.check(host, NodeSpec(recipe=recipe, join=secrets)))
    host.services.stop("kubelet")
    host.files.write(r"C:\k\nssm.exe", b"nssm")
    host.services.put("kubelet", WRAPPER)
    host.services.start("kubelet")
    host.files.write(KUBERNETES + r"\pki\ca.crt", AUTHORITY)
    host.files.write(r"C:\Program Files\containerd\config.toml", b"theirs\n")
    host.files.write(r"C:\k\StartKubelet.ps1", b"& C:\\k\\kubelet.exe\n")
    host.flush()
    return host


@pytest.fixture
def run(request_for):
    def start(host, verb, name, **changes):
        request = request_for(verb, **{"owner": OURS, **changes})
        return Runner(host, LAYOUT, name).execute(request)

    return start


def journal(host):
    found = Journal.look(host.disk, LAYOUT.journal)
    assert found is not None
    return found


def test_an_adoption_writes_down_what_it_found_and_changes_nothing(by_hand, run):
    found = by_hand.snapshot()
    assert run(by_hand, Verb.ADOPT, "adopt").changed == ("adopt",)
    assert by_hand.snapshot() == found
    (intent,) = journal(by_hand).intents
    assert intent.before is not None
    assert intent.before["kubernetes"] == "1.37.1"
    assert intent.before["services"]["kubelet"]["command"] == WRAPPER.command
    assert r"C:\k\kubelet.exe" in intent.before["files"]
    assert run(by_hand, Verb.ADOPT, "again").changed == ()


def test_an_adopted_node_is_planned_towards_the_recipe(by_hand, run, request_for):
    run(by_hand, Verb.ADOPT, "adopt")
    request = request_for(Verb.PLAN, owner=OURS, plan_for=Verb.JOIN)
    plan = {step.id: drift for step, drift in Runner(by_hand, LAYOUT, "plan").plan(request).steps}
    assert {name for name, drift in plan.items() if drift} == {
        "files",
        "services",
        "kubelet-arguments",
    }
    assert plan[StepId.SERVICES][0].found == WRAPPER.command


def test_an_adopted_node_is_upgraded_and_given_back_as_it_was_found(by_hand, run, newer_recipe):
    found = by_hand.snapshot()
    run(by_hand, Verb.ADOPT, "adopt")
    run(by_hand, Verb.UPGRADE, "up", recipe=newer_recipe)
    assert by_hand.cluster.healthy("win-01").kubelet == NEWER
    assert by_hand.services.get("kubelet") != WRAPPER
    run(by_hand, Verb.RESET, "reset", recipe=newer_recipe)
    assert by_hand.snapshot() == found
    assert by_hand.services.get("kubelet") == WRAPPER
    assert by_hand.cluster.healthy("win-01").ready
    assert ("reset", "--force") not in {argv[1:3] for argv in by_hand.processes.ran}


def test_an_adopted_node_is_brought_to_its_recipe_at_its_own_version(by_hand, run):
    found = by_hand.snapshot()
    run(by_hand, Verb.ADOPT, "adopt")
    changed = run(by_hand, Verb.UPGRADE, "up").changed
    assert "services" in changed
    assert "upgrade" not in changed
    run(by_hand, Verb.RESET, "reset")
    assert by_hand.snapshot() == found


@pytest.mark.parametrize("seed", range(15))
def test_power_cuts_between_adoption_and_reset_lose_nothing_of_its_maker(
    by_hand, run, newer_recipe, seed
):
    found = by_hand.snapshot()
    chance = random.Random(seed)
    for verb in (Verb.ADOPT, Verb.UPGRADE, Verb.RESET):
        for attempt in range(2):
            by_hand.calls.inject(Fault.CUT_AFTER, at=chance.randrange(1, 500))
            try:
                run(by_hand, verb, f"{verb.value}{attempt}", recipe=newer_recipe)
            except PowerCut:
                by_hand.power_cycle(chance)
            by_hand.calls.clear()
        run(by_hand, verb, verb.value, recipe=newer_recipe)
    assert by_hand.snapshot() == found


def test_a_node_of_another_cluster_is_refused(by_hand, run):
    with pytest.raises(Refused) as caught:
        run(by_hand, Verb.ADOPT, "adopt", owner=OWNER)
    (refusal,) = caught.value.refusals
    assert (refusal.id, refusal.found) == ("another-cluster", OURS.cluster)


def test_a_file_of_the_node_without_the_end_of_its_last_line_is_named_as_that(by_hand, run):
    """As an editor leaves it: to say that the file is missing would send people the wrong way."""
    path = r"C:\var\lib\kubelet\config.yaml"
    by_hand.files.write(path, by_hand.files.read(path).rstrip(b"\n"))
    with pytest.raises(Refused) as caught:
        run(by_hand, Verb.ADOPT, "adopt")
    (refusal,) = caught.value.refusals
    assert refusal.found == f"{path} without an end of its last line"
    assert refusal.fix == "See that it is whole, and end its last line."


def test_a_host_that_is_no_node_is_refused(make_host, run):
    host = make_host()
    first = host.snapshot()
    with pytest.raises(Refused) as caught:
        run(host, Verb.ADOPT, "adopt")
    (refusal,) = caught.value.refusals
    assert refusal.id == "not-a-node"
    assert "kubelet.conf" in refusal.found
    assert host.snapshot() == first


def test_a_node_that_is_half_joined_is_refused(by_hand, run):
    by_hand.files.write(KUBERNETES + r"\bootstrap-kubelet.conf", b"x\n")
    with pytest.raises(Refused) as caught:
        run(by_hand, Verb.ADOPT, "adopt")
    assert "bootstrap-kubelet.conf is there" in caught.value.refusals[0].found


def test_a_node_the_cluster_does_not_know_is_not_adopted(by_hand, run):
    by_hand.cluster.healthy = lambda _name: None
    with pytest.raises(PermanentError, match="the cluster has no Node win-01"):
        run(by_hand, Verb.ADOPT, "adopt")
    assert journal(by_hand).intents == ()


def test_a_node_that_was_adopted_may_not_go_back_in_version(by_hand, run, recipe):
    older = replace(recipe, target=replace(recipe.target, kubernetes="1.36.4"))
    run(by_hand, Verb.ADOPT, "adopt")
    with pytest.raises(Refused) as caught:
        run(by_hand, Verb.UPGRADE, "up", recipe=older)
    assert [item.id for item in caught.value.refusals] == ["downgrade"]


def test_what_the_join_wrote_stays_after_a_reset(by_hand, run):
    run(by_hand, Verb.ADOPT, "adopt")
    run(by_hand, Verb.RESET, "reset")
    for path in (KUBERNETES + r"\kubelet.conf", KUBELET + r"\config.yaml"):
        assert by_hand.files.kind(path) is PathKind.FILE
