"""Legacy hosts: Docker upgraded in place, its host network, wins closed to all but administrators."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.node import DOCKER
from tests.support.node_goldens import locked, packed

from transom.errors import PermanentError
from transom.model.codec import decode
from transom.model.recipe import Recipe
from transom.model.request import Verb
from transom.node.doctor.causes.access_weak import DIAGNOSIS
from transom.node.doctor.observation import Observation, PathSeen
from transom.node.doctor.places import WINS_PIPE
from transom.node.engine.runner import Runner
from transom.node.host.values import Completed, NodeHealth
from transom.node.layout import Layout

RECIPES = Path(__file__).parents[3] / "data" / "recipes"
DOCKERD = r"C:\Program Files\docker\dockerd.exe"


def golden(name):
    return decode(Recipe, json.loads((RECIPES / f"{name}.json").read_text()))


@pytest.fixture
def node(make_host, kubeadm, request_for):
    """Give a function that makes a node of a golden recipe, and runs a verb on it."""

    def make(name):
        host = make_host()
        host.files.remove(DOCKER)
        recipe = locked(golden(name), host)
        host.system.name = recipe.join.node_name
        host.system.windows = (recipe.target.windows_build, 99_999)
        host.programs["kubeadm.exe"] = kubeadm(recipe.network.name)
        host.cluster.healthy = lambda _name: NodeHealth(
            ready=True, kubelet=recipe.target.kubernetes, problem=""
        )
        host.flush()

        def run(verb, run, **changes):
            request = request_for(verb, **{"recipe": recipe, "remove_features": True, **changes})
            return Runner(host, Layout(), run).execute(request)

        first = host.snapshot()
        run(Verb.JOIN, "join")
        return host, recipe, run, first

    return make


def with_newer_docker(host, recipe):
    """The same recipe with another Docker."""
    artifacts = []
    for item in recipe.artifacts:
        if item.id == "docker":
            url = item.url + "?newer"
            content = packed(replace(item, members=item.members[::-1]))
            host.source.content[url] = content
            digest = hashlib.sha256(content).hexdigest()
            artifacts.append(replace(item, url=url, sha256=digest, version="20.10.0"))
        else:
            artifacts.append(item)
    return replace(recipe, artifacts=tuple(artifacts))


@pytest.mark.parametrize("name", ["k116-2019-docker-services", "k120-2019-docker-wins-overlay"])
def test_docker_is_installed_started_upgraded_and_undone(node, name):
    host, recipe, run, first = node(name)
    assert host.services.running("docker")
    assert host.files.read(DOCKERD) == b"docker/dockerd.exe"
    done = run(Verb.UPGRADE, "up", recipe=with_newer_docker(host, recipe))
    assert "upgrade" in done.changed
    assert host.services.running("docker")
    assert host.services.running("kubelet")
    run(Verb.RESET, "reset")
    assert host.snapshot() == first


def test_the_host_network_and_its_keeper_come_and_go(node):
    host, _, run, first = node("k120-2019-docker-wins-l2bridge")
    assert host.network.hns_network("host")
    assert host.services.running("host-networks")
    assert host.services.running("rancher-wins")
    config = host.files.read(r"C:\etc\rancher\wins\config").decode()
    assert config.startswith("white_list:\n  processPaths:\n  - C:")
    host.settings.put("hns", "host", None)
    assert run(Verb.JOIN, "again").changed == ("host-networks",)
    run(Verb.RESET, "reset")
    assert host.snapshot() == first


def test_a_docker_that_refuses_undoes_the_run(make_host, request_for):
    host = make_host()
    first = host.snapshot()
    host.programs["docker.exe"] = lambda _host, _argv: Completed(code=1, output="no daemon")
    with pytest.raises(PermanentError, match="could not make the network host: no daemon"):
        Runner(host, Layout(), "r").execute(request_for(Verb.PREPARE, remove_features=True))
    assert host.snapshot() == first


def test_a_docker_that_is_gone_needs_to_forget_nothing(make_host, request_for):
    host = make_host()
    Runner(host, Layout(), "r").execute(request_for(Verb.PREPARE))
    host.files.remove(DOCKER)
    Runner(host, Layout(), "reset").execute(request_for(Verb.RESET))
    assert not host.network.hns_network("host")


@pytest.mark.parametrize(
    ("acl", "troubles"),
    [("D:P(A;;GA;;;BA)(A;;GA;;;SY)", 0), ("D:P(A;;GA;;;BA)(A;;GA;;;SY)(A;;GA;;;WD)", 1)],
)
def test_a_pipe_of_wins_that_others_may_write_to_is_told(acl, troubles):
    seen = Observation(
        host="win-01",
        time=0,
        build=17763,
        revision=1,
        recipe=golden("k120-2019-docker-wins-overlay"),
        paths=(PathSeen(path=WINS_PIPE, kind="file", acl=acl),),
    )
    assert len(list(DIAGNOSIS.examine(seen))) == troubles
