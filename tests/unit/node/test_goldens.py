"""Every golden recipe the node program takes is prepared, joined and reset; the others are refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.node_goldens import locked

from transom.model.codec import decode
from transom.model.recipe import Recipe
from transom.model.request import Verb
from transom.node.engine.runner import Ending, Runner
from transom.node.layout import Layout
from transom.node.steps import PREPARE

GOLDENS = sorted((Path(__file__).parents[2] / "data" / "recipes").glob("*.json"))


def test_every_golden_recipe_has_a_golden_plan():
    """`make generate` writes them and `make check` compares their content."""
    plans = {path.name for path in (GOLDENS[0].parents[1] / "plans").glob("*.json")}
    assert plans == {path.name for path in GOLDENS}


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_a_golden_recipe_is_made_and_taken_back(make_host, kubeadm, request_for, path):
    host = make_host()
    recipe = locked(decode(Recipe, json.loads(path.read_text())), host)
    host.system.name = recipe.join.node_name
    host.system.windows = (recipe.target.windows_build, 99_999)
    for feature in recipe.features:
        host.features.disable(feature.name)
    host.programs["kubeadm.exe"] = kubeadm(recipe.network.name)
    host.flush()
    first = host.snapshot()
    request = request_for(Verb.JOIN, recipe=recipe)
    planned = Runner(host, Layout(), "plan").plan(replace(request, plan_for=Verb.JOIN))
    done = Runner(host, Layout(), "r1").execute(request)
    assert done.ending is Ending.DONE
    # What comes after the join is told by a plan only as far as can be seen before it.
    before_join = {step.id for step in PREPARE}
    expected = {step.id for step, drift in planned.steps if drift}
    assert expected & before_join == set(done.changed) & before_join
    assert Runner(host, Layout(), "r2").execute(request).changed == ()
    reset = request_for(Verb.RESET, recipe=recipe, remove_features=True)
    Runner(host, Layout(), "r3").execute(reset)
    assert host.snapshot() == first
