"""A journal that some version wrote is read and undone for ever, on the host it was written on."""

import json
from pathlib import Path

import pytest
from tests.support.node import docker, new_host
from tests.unit.node.hosts import dump, load

from transom.model.api_versions import KINDS
from transom.model.request import Verb
from transom.node.engine.journal import Journal
from transom.node.engine.runner import Runner
from transom.node.layout import Layout
from transom.testing.simulated_host import SimulatedHost

GOLDENS = sorted((Path(__file__).parents[2] / "data" / "journals").glob("*.json"))
LAYOUT = Layout()


def version_of(path):
    """What a golden journal says it is."""
    host = SimulatedHost()
    load(host, json.loads(path.read_text())["after"])
    header = host.disk.read(LAYOUT.journal).split(b"\n")[0].partition(b" ")[2]
    return json.loads(header)["apiVersion"]


def host_of(document, kubeadm):
    host = SimulatedHost()
    load(host, document)
    host.programs = new_host().programs
    host.programs["kubeadm.exe"] = kubeadm("flannel.4096")
    host.programs["docker.exe"] = docker
    return host


def test_there_is_a_golden_journal_of_everything_that_makes_or_changes_a_node():
    assert [path.stem for path in GOLDENS] == [
        "node-v1alpha1-join",
        "v1alpha1-adoption",
        "v1alpha1-join",
        "v1alpha1-upgrade",
    ]


def test_there_is_a_golden_journal_of_each_version_that_is_read():
    versions = {version_of(path) for path in GOLDENS}
    assert versions == {*KINDS["Journal"].read}


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_a_golden_journal_is_read_and_undone(path, kubeadm, request_for):
    golden = json.loads(path.read_text())
    host = host_of(golden["after"], kubeadm)
    contents = Journal.look(host.disk, LAYOUT.journal)
    assert contents is not None
    assert contents.owner.fleet == "shop"
    request = request_for(Verb.RESET, owner=contents.owner, remove_features=True)
    done = Runner(host, LAYOUT, "reset").execute(request)
    assert set(done.changed) == {intent.step for intent in contents.intents}
    assert host.snapshot() == host_of(golden["before"], kubeadm).snapshot()


def test_a_host_is_kept_as_it_is(make_host, request_for):
    host = make_host()
    Runner(host, LAYOUT, "r1").execute(request_for(Verb.JOIN))
    copy = SimulatedHost()
    load(copy, json.loads(json.dumps(dump(host))))
    assert copy.snapshot() == host.snapshot()
    assert copy.disk.read(LAYOUT.journal) == host.disk.read(LAYOUT.journal)
