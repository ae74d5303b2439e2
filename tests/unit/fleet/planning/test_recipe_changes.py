"""What two recipes say about a change is what the steps themselves plan on a node of the first."""

from dataclasses import replace
from typing import Any

import pytest
from tests.support.node import OWNER, RECIPE, SECRETS, new_host

from transom.fleet.planning.recipe_changes import changes_between, disruption_of
from transom.model.disruption import Disruption, worst
from transom.model.recipe import FirewallRule, RegistryValue
from transom.model.request import Request, Verb
from transom.node.engine.runner import Runner
from transom.node.layout import Layout


def with_first(part, **changes):
    """The recipe with its first entry of a list changed."""
    first, *rest = getattr(RECIPE, part)
    changed: dict[str, Any] = {part: (replace(first, **changes), *rest)}
    return replace(RECIPE, **changed)


def named(part, name, **changes):
    entries = [
        replace(item, **changes) if item.name == name else item for item in getattr(RECIPE, part)
    ]
    changed: dict[str, Any] = {part: tuple(entries)}
    return replace(RECIPE, **changed)


CASES = {
    "nothing": RECIPE,
    "why": with_first("firewall", why="another fact"),
    "firewall": replace(
        RECIPE,
        firewall=(
            *RECIPE.firewall,
            FirewallRule(name="more", protocol="tcp", port="9182", why=""),
        ),
    ),
    "registry": replace(
        RECIPE,
        registry=(
            *RECIPE.registry,
            RegistryValue(key=r"SOFTWARE\More", name="On", type="dword", value=1, why=""),
        ),
    ),
    "dns suffix": replace(RECIPE, dns_suffixes=(*RECIPE.dns_suffixes, "more.example")),
    "kubelet flag": replace(RECIPE, join=replace(RECIPE.join, kubelet_extra_args={"v": "7"})),
    "the runtime's service": named("services", "containerd", display_name="another"),
    "the kubelet's service": named("services", "kubelet", display_name="another"),
}


def planned(recipe):
    """The steps with something to do on a node of the first recipe, and the worst that is felt of them."""
    host = new_host()
    request = Request(verb=Verb.JOIN, recipe=RECIPE, owner=OWNER, join=SECRETS)
    Runner(host, Layout(), "r1").execute(request)
    plan = Runner(host, Layout(), "plan").plan(
        replace(request, verb=Verb.PLAN, plan_for=Verb.JOIN, recipe=recipe)
    )
    found = [(step, drift) for step, drift in plan.steps if drift]
    felt = [item.disruption or step.disruption for step, drift in found for item in drift]
    return [step.id for step, _ in found], worst(felt)


@pytest.mark.parametrize("name", CASES)
def test_the_steps_plan_what_the_recipes_say(name):
    changes = changes_between(RECIPE, CASES[name])
    steps, felt = planned(CASES[name])
    assert [change.step for change in changes] == steps
    assert disruption_of(changes) is felt


def test_another_version_of_the_runtime_stops_pods():
    entries = [
        replace(item, version="9.9.9", sha256="f" * 64) if item.id == "containerd" else item
        for item in RECIPE.artifacts
    ]
    (change,) = changes_between(RECIPE, replace(RECIPE, artifacts=tuple(entries)))
    assert (change.step, change.disruption) == ("artifacts", Disruption.PODS_STOP)


def test_a_mirror_brings_the_same_bytes():
    entries = [
        replace(item, url="https://mirror.corp/x", sha256=None, why="artifact-x")
        for item in RECIPE.artifacts
    ]
    before = [replace(item, sha256=None, why="artifact-x") for item in RECIPE.artifacts]
    old, new = (replace(RECIPE, artifacts=tuple(items)) for items in (before, entries))
    assert changes_between(old, new) == ()
