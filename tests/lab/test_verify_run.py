"""Checks of nodes against a real API server and kubelet.exe: they pass, fail by their fault, and leave nothing.

HostProcess programs really run in the lab; isolated containers only pretend to, and no packet moves between pods.
"""

import json

import pytest

from transom.cli.main import main
from transom.verify.checks import CHECKS

pytestmark = pytest.mark.timeout(600)

PROVED = [check.name for check in CHECKS if not check.lab]
QUICK = ("--patience", "0.2")


@pytest.fixture(scope="module")
def node(cluster):
    cluster.joined("win1")
    return cluster


@pytest.fixture
def verified(node, capsys):
    def run(*arguments, checks=(), isolation="hostprocess"):
        named = [word for name in checks for word in ("--check", name)]
        capsys.readouterr()
        code = main(
            [
                *("verify", "run", "--kubeconfig", str(node.lab.kubeconfig), "--node", "win1"),
                *("--isolation", isolation, "-o", "json", *named, *arguments),
            ]
        )
        document = json.loads(capsys.readouterr().out)
        return code, {item["check"]: item for item in document["results"]}

    return run


def spaces(cluster):
    found = cluster.get("namespaces", "-l", "transom.dev/verify")["items"]
    return [item["metadata"]["name"] for item in found]


def test_checks_that_the_lab_can_carry(node, verified):
    code, found = verified("--disruptive", checks=PROVED)
    for name, item in found.items():
    assert {
        name: item["message"] for name, item in found.items() if item["outcome"] != "passed"
    } == {}
    assert code == 0
    assert spaces(node) == []
