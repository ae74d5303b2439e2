"""Every golden recipe the node program takes is prepared, joined and reset; the others are refused."""

import hashlib
import io
import json
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from transom.model.codec import decode
from transom.model.recipe import Recipe, Unpack
from transom.model.request import Verb
from transom.node.layout import Layout
from transom.node.runner import Ending, Runner
from transom.node.steps import PREPARE

GOLDENS = sorted((Path(__file__).parents[2] / "data" / "recipes").glob("*.json"))


def locked(recipe, host):
    """The recipe with the hashes of downloads made up for it."""
    artifacts = []
    for artifact in recipe.artifacts:
        content = packed(artifact)
        host.source.content[artifact.url] = content
        artifacts.append(replace(artifact, sha256=hashlib.sha256(content).hexdigest()))
    return replace(recipe, artifacts=tuple(artifacts))


def packed(artifact):
    buffer = io.BytesIO()
    names = [member.name for member in artifact.members]
    if artifact.unpack is Unpack.FILE:
        return artifact.id.encode()
    if artifact.unpack is Unpack.ZIP:
        with zipfile.ZipFile(buffer, "w") as archive:
            for name in names:
                archive.writestr(name, name)
        return buffer.getvalue()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = len(name)
            tar.addfile(entry, io.BytesIO(name.encode()))
    return buffer.getvalue()


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
    expected = {step.id for step, drift in planned if drift}
    assert expected & before_join == set(done.changed) & before_join
    assert Runner(host, Layout(), "r2").execute(request).changed == ()
    reset = request_for(Verb.RESET, recipe=recipe, remove_features=True)
    Runner(host, Layout(), "r3").execute(reset)
    assert host.snapshot() == first
