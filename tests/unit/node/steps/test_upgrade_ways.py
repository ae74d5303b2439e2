"""Upgrades that differ from the usual: without kubeadm, with it in an archive, without patches, kept."""

import hashlib
from dataclasses import replace

import pytest
from tests.support.node import DOWNLOADS, KUBELET, SECRETS, _tar_gz
from tests.support.node_kubernetes_manual_join import KUBECONFIG

from transom.errors import PermanentError
from transom.model.recipe import Member, Unpack
from transom.model.request import Verb
from transom.node.engine.runner import Runner
from transom.node.host.values import Completed, PathKind
from transom.node.layout import Layout

ARCHIVE = "https://dl.example/node.tar.gz"
STAGED = r"C:\k\kubeadm-new.exe"


@pytest.fixture
def run(request_for):
    def start(host, verb, name, **changes):
        request = request_for(verb, remove_features=True, **changes)
        return Runner(host, Layout(), name).execute(request)

    return start


@pytest.fixture
def node(make_host, run):
    """A host that joined."""
    host = make_host()
    run(host, Verb.JOIN, "join")
    return host


def test_a_node_that_joined_by_hand_is_upgraded_without_kubeadm(make_host, run, newer_recipe):
    host = make_host()
    del host.programs["kubeadm.exe"], host.programs["kubeadm-new.exe"]
    host.flush()
    first = host.snapshot()
    run(host, Verb.JOIN, "join", join=replace(SECRETS, token="", kubeconfig=KUBECONFIG))
    kubelet = replace(
        newer_recipe.kubelet, manual=replace(newer_recipe.kubelet.manual, config={"maxPods": 7})
    )
    wanted = replace(newer_recipe, kubelet=replace(kubelet, config={"maxPods": 7}))
    assert "upgrade" in run(host, Verb.UPGRADE, "up", recipe=wanted).changed
    assert b'"maxPods": 7' in host.disk.read(KUBELET + r"\config.yaml")
    assert not [argv for argv in host.processes.ran if "kubeadm" in argv[0]]
    run(host, Verb.RESET, "reset", recipe=wanted)
    assert host.snapshot() == first


def test_a_kubeadm_inside_an_archive_is_staged_from_it(node, run, newer_recipe):
    content = _tar_gz({"bin/kubeadm.exe": b"newer kubeadm " * 40})
    node.source.content[ARCHIVE] = content
    kubeadm = replace(
        newer_recipe.artifacts[0],
        url=ARCHIVE,
        sha256=hashlib.sha256(content).hexdigest(),
        unpack=Unpack.TAR_GZ,
        path=r"C:\k\transom\downloads\node.tar.gz",
        members=(Member(name="./bin/kubeadm.exe", path=r"C:\k\kubeadm.exe"),),
    )
    wanted = replace(newer_recipe, artifacts=(kubeadm, *newer_recipe.artifacts[1:]))
    run(node, Verb.UPGRADE, "up", recipe=wanted)
    assert any(argv[0] == STAGED for argv in node.processes.ran)
    assert node.files.kind(STAGED) is PathKind.ABSENT
    assert node.files.read(r"C:\k\kubeadm.exe") == b"newer kubeadm " * 40


def test_a_kubeadm_that_is_the_new_one_already_is_used_where_it_is(node, run, newer_recipe):
    """Where only the kubelet is new, no second kubeadm appears."""
    old = next(item for item in newer_recipe.artifacts if item.id == "kubeadm")
    here = replace(
        old, url="https://dl.example/kubeadm.exe",
        sha256=hashlib.sha256(DOWNLOADS["https://dl.example/kubeadm.exe"]).hexdigest(),
    )  # fmt: skip
    wanted = replace(newer_recipe, artifacts=(here, *newer_recipe.artifacts[1:]))
    node.processes.ran.clear()
    run(node, Verb.UPGRADE, "up", recipe=wanted)
    assert [argv[:3] for argv in node.processes.ran] == [(r"C:\k\kubeadm.exe", "upgrade", "node")]


def test_a_kubeadm_without_patches_that_writes_less_than_expected_is_enough(
    node, run, newer_recipe
):
    wanted = replace(newer_recipe, join=replace(newer_recipe.join, patches_directory=""))
    given = []

    def kubeadm(_host, argv):
        given.append(argv)
        return Completed(code=0, output="")

    node.programs["kubeadm-new.exe"] = kubeadm
    run(node, Verb.UPGRADE, "up", recipe=wanted)
    assert given == [[STAGED, "upgrade", "node"]]
    assert node.files.kind(KUBELET + r"\instance-config.yaml") is PathKind.ABSENT


def test_a_node_the_cluster_does_not_know_is_not_upgraded(node, run, newer_recipe):
    before = node.snapshot()
    node.cluster.healthy = lambda _name: None
    with pytest.raises(PermanentError, match="the cluster has no Node win-01"):
        run(node, Verb.UPGRADE, "up", recipe=newer_recipe)
    assert node.snapshot() == before


def test_an_upgraded_node_that_is_not_ready_is_kept_when_asked(node, run, newer_recipe):
    told = node.cluster.healthy
    node.cluster.healthy = lambda name: replace(told(name), ready=told(name).kubelet == "1.37.1")
    with pytest.raises(PermanentError, match="not Ready"):
        run(node, Verb.UPGRADE, "up", recipe=newer_recipe, keep_on_failure=True)
    assert node.files.read(r"C:\k\kubelet.exe").startswith(b"newer")
