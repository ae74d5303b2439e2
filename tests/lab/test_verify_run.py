"""Checks of nodes against a real API server and kubelet.exe: they pass, fail by their fault, and leave nothing.

HostProcess programs really run in the lab; isolated containers only pretend to, and no packet moves between pods. A node
that kubeadm.exe alone joined reserves no memory: that fault is there from the start.
"""

import json
import os
import signal
import subprocess
import sys

import pytest

from transom.cli.main import main
from transom.verify.checks import CHECKS
from transom_lab.standins import CriFault, set_cri_faults

pytestmark = pytest.mark.timeout(600)

PROVED = [check.name for check in CHECKS if not check.lab]
UNAVAILABLE = 14


@pytest.fixture(scope="module")
def node(cluster):
    cluster.joined("win1")
    return cluster


@pytest.fixture
def faults(node):
    """Have calls of the runtime fail; heals it afterwards."""
    drive = node.lab.host("win1").drive_c
    yield lambda *methods: set_cri_faults(
        drive, [CriFault(name, code=UNAVAILABLE, count=10_000) for name in methods]
    )
    set_cri_faults(drive, [])


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
        assert spaces(node) == []
        return code, {item["check"]: item for item in document["results"]}

    return run


def spaces(cluster):
    found = cluster.get("namespaces", "-l", "transom.dev/verify")["items"]
    return [item["metadata"]["name"] for item in found]


def test_checks_that_the_lab_carries_pass_and_what_kubeadm_leaves_out_fails(node, verified):
    code, found = verified("--disruptive", "--node-conditions", checks=PROVED)
    assert {name for name, item in found.items() if item["outcome"] == "passed"} == {
        name for name in PROVED if name != "node-reserves"
    }, found
    assert "reserves no memory" in found["node-reserves"]["message"]
    assert code == 1
    assert "HostProcess" in found["exec"]["evidence"]["pod shell"]
    conditions = {
        item["type"]: item["status"] for item in node.get("node", "win1")["status"]["conditions"]
    }
    assert conditions["TransomVerified"] == "False"
    assert conditions["Ready"] == "True"


@pytest.mark.parametrize(
    ("check", "methods", "told"),
    [
        ("image-pull", ("PullImage",), "cannot pull the image"),
        ("exec", ("Exec",), "no program can be run in a pod"),
        ("probes", ("ExecSync",), "whose readiness probe succeeds is not Ready"),
        ("density", ("RunPodSandbox",), "is not Ready"),
    ],
)
def test_a_runtime_that_fails_is_found(verified, faults, check, methods, told):
    faults(*methods)
    code, found = verified("--disruptive", "--patience", "0.1", checks=[check])
    assert (found[check]["outcome"], code) == ("failed", 1), found
    assert told in found[check]["message"]


def test_a_node_whose_runtime_is_gone_is_not_ready(node, verified, faults, eventually):
    faults("Status", "Version")
    eventually(lambda: not node.is_ready("win1"), "the node is not Ready", timeout_s=180)
    code, found = verified(checks=["node-ready", "exec"])
    assert {name: item["outcome"] for name, item in found.items()} == {
        "node-ready": "failed",
        "exec": "not-run",
    }
    assert code == 1
    faults()
    node.await_ready("win1", timeout_s=120)


def test_a_pod_that_cannot_start_proves_nothing(verified, faults):
    faults("RunPodSandbox")
    code, found = verified("--patience", "0.05", checks=["secret", "host-process"])
    assert {item["outcome"] for item in found.values()} == {"not-run"}
    assert code == 5


def test_an_update_that_does_not_come_in_time_is_found(verified):
    _, found = verified("--patience", "0.02", checks=["mounted-update"])
    assert found["mounted-update"]["outcome"] == "failed"
    assert "the file after the change is 'before'" in found["mounted-update"]["message"]


def test_containers_that_only_pretend_to_run_are_never_green(verified):
    """As the lab's stand-in for isolated containers does: exec succeeds, and nothing ran."""
    judged = [
        "config-map",
        "empty-dir",
        "host-path",
        "secret",
        "mounted-update",
        "logs",
        "image-match",
    ]
    code, found = verified("--patience", "0.2", checks=[*judged, "user-name"], isolation="process")
    assert {
        name: item["outcome"] for name, item in found.items() if item["outcome"] == "passed"
    } == {}
    assert code == 1


def test_reserves_that_the_kubelet_has_are_seen(node, verified, eventually):
    host = node.lab.host("win1")
    file = host.drive_c / "var" / "lib" / "kubelet" / "config.yaml"
    before = file.read_text("utf-8")

    def restart():
        host.run(["sc", "stop", "kubelet"])
        host.await_service("kubelet", "STOPPED")
        host.start_service("kubelet")

    def allocatable():
        return node.get("node", "win1")["status"]["allocatable"]["memory"]

    was = allocatable()
    try:
        file.write_text(f"{before}\nkubeReserved: {{memory: 500Mi}}\n", "utf-8")
        restart()
        eventually(lambda: allocatable() != was, "less is allocatable", timeout_s=90)
        node.await_ready("win1")
        code, found = verified(checks=["node-reserves"])
    finally:
        file.write_text(before, "utf-8")
        restart()
        node.await_ready("win1")
    assert (found["node-reserves"]["outcome"], code) == ("passed", 0), found


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_takes_its_namespaces_away(node, eventually, sent):
    command = [
        *(sys.executable, "-m", "transom", "verify", "run", "--node", "win1"),
        *("--kubeconfig", str(node.lab.kubeconfig), "--isolation", "hostprocess"),
        *("--check", "mounted-update", "--check", "probes"),
    ]
    running = subprocess.Popen(command, env=os.environ, stderr=subprocess.PIPE)
    try:
        eventually(lambda: len(spaces(node)) == 2, "both checks have begun", timeout_s=60)
        running.send_signal(sent)
        running.wait(timeout=120)
    finally:
        running.kill()
        running.communicate()
    assert running.returncode != 0
    assert spaces(node) == []
