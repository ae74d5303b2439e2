"""A fleet whose host is the very machine: the command line, under Windows' Python, makes a node of it and takes that back.

Nobody reaches the host by SSH here, and there is no kubeconfig: only the endpoint, the authority's pin and a token.
"""

import json
import shutil

import pytest
import yaml
from tests.lab.snapshot import snapshot
from tests.lab.windows_cli import COMMAND, FOLDER, bring_cli
from tests.support.lab import _ENDPOINT, Cluster, await_true

from transom_lab.fleet import prepare_fleet
from transom_lab.places import cache_directory
from transom_lab.progress import Progress

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def cluster(bare_lab):
    """A bare host of its own, whose first run ends with the reboot that Windows asks for."""
    with bare_lab("local", feature=False) as lab:
        yield Cluster(lab)


@pytest.fixture(scope="module")
def transom(cluster):
    """Run transom on the host, for a fleet of this one host."""
    lab, host = cluster.lab, cluster.lab.host("win1")
    made = prepare_fleet(lab, cache=cache_directory(), progress=Progress())
    folder = bring_cli(host)
    document = yaml.safe_load(made.fleet.read_text("utf-8"))
    document["spec"]["cluster"] = {
        "endpoint": _ENDPOINT,
        "caCertHashes": [cluster.ca_hash()],
        "tokenFrom": {"file": rf"{FOLDER}\token"},
    }
    document["spec"]["hosts"][0]["connection"] = {"local": {}}
    (folder / "fleet.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    (folder / "token").write_text(cluster.token(), encoding="utf-8")
    shutil.copy(made.lock, folder / "transom.lock")
    shutil.copy(made.python, folder / "python.zip")

    def run(*words):
        return cluster.ssh("win1", " ".join((*COMMAND, *words, "-f", rf"{FOLDER}\fleet.yaml")))

    return run


def test_the_machine_makes_a_node_of_itself_and_takes_it_back(cluster, transom):
    host, python = cluster.lab.host("win1"), ("--python", rf"{FOLDER}\python.zip")
    before = snapshot(host)
    first = transom("apply", "--yes", *python)
    assert first.code == 4, first.text
    assert "this machine needs a reboot before it can go on" in first.text
    host.reboot()
    second = transom("apply", "--yes", *python)
    assert second.code == 0, second.text
    await_true(lambda: cluster.is_ready("win1"), "the node is Ready")
    again = transom("apply", "--yes", "-o", "json")
    assert again.code == 0, again.text
    (result,) = json.loads(again.stdout)["hosts"]
    assert result["outcome"] == "unchanged"
    reset = transom("reset", "--host", "win1", "--yes")
    assert reset.code == 0, reset.text
    assert "`kubectl delete node win1`" in reset.text
    after = snapshot(host)
    changed = {key for key in before | after if before.get(key) != after.get(key)}
    assert {key for key in changed if not key.startswith(("cli/", "Python/"))} == set()
