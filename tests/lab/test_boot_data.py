"""Compiled boot data, executed by the real cloudbase-init on a bare host, ends in a Ready node.

Its UserData plugin runs as it is, in Wine; the restart it asks for is the lab's. Python and the node
program are fetched by their hashes from a folder of the host.
"""

import json
from dataclasses import replace

import pytest
from tests.support import lab_cloudbase_init as cloudbase
from tests.support.lab_boot_data import Machine

from transom.bootstrap.compile import carried_configuration, compile_boot_data
from transom_lab.binaries import Binaries
from transom_lab.places import cache_directory
from transom_lab.programs import Goos, program
from transom_lab.progress import Progress

SENTINEL = "run/cluster-api/bootstrap-success.complete"
CONFIGURATION = "run/kubeadm/kubeadm-join-config.yaml"
REPORT = "k/transom/boot/report.json"


@pytest.fixture(scope="module")
def booting(bare_lab):
    with bare_lab("boot-data", feature=False) as lab:
        yield Machine(lab)


def test_kubeadm_exe_accepts_the_document(booting):
    """The very kubeadm that would read it."""
    document = carried_configuration(booting.recipe.join, booting.plan().join)
    cloudbase.write(booting.host, r"C:\k\join.json", json.dumps(document))
    said = booting.host.run(
        [
            rf"C:\bundle\{booting.lab.record.kubernetes}\kubeadm.exe",
            "config",
            "validate",
            "--config",
            r"C:\k\join.json",
        ]
    )
    assert "ok" in said


@pytest.mark.timeout(1500)
@pytest.mark.parametrize(
    ("api", "version"), [("v1beta1", "1.21.14"), ("v1beta2", "1.21.14"), ("v1beta3", "1.36.4")]
)
def test_kubeadm_exe_of_its_time_accepts_older_documents(booting, api, version):
    """The newest that still reads them; before 1.26 kubeadm validates only what it begins to do."""
    recipe = booting.recipe.join
    runtime = recipe.cri_socket if api == "v1beta3" else "npipe:////./pipe/docker_engine"
    older = replace(recipe, api_version=f"kubeadm.k8s.io/{api}", cri_socket=runtime)
    document = json.dumps(carried_configuration(older, booting.plan().join))
    wanted = program("kubeadm", Goos.WINDOWS, version)
    built = Binaries(cache=cache_directory(), progress=Progress()).fetch([wanted])[wanted]
    booting.host.put(built, rf"C:\k\kubeadm-{version}.exe")
    verb, accepted = _VALIDATING[version]
    said = [_said(booting, version, verb, text) for text in (document, document.replace(api, "v1"))]
    assert accepted in said[0], said
    assert "unknown field" not in said[0]
    assert accepted not in said[1], said


_VALIDATING = {
    "1.21.14": ("join phase preflight", "[preflight] Running pre-flight checks"),
    "1.36.4": ("config validate", "ok"),
}


def _said(machine, version, verb, text):
    """What kubeadm says to a document, on both its streams."""
    cloudbase.write(machine.host, r"C:\k\join.json", text)
    command = rf"C:\k\kubeadm-{version}.exe {verb} --config C:\k\join.json > C:\k\said.txt 2>&1"
    machine.host.run(["cmd", "/c", command], timeout_s=60, check=False)
    return (machine.c / "k/said.txt").read_text("utf-8", errors="replace")


def test_a_failed_join_leaves_a_readable_failure_and_no_sentinel(booting):
    """A token that the cluster does not know; the restart for the feature comes first."""
    data = compile_boot_data(booting.plan(token="abcdef.0123456789abcdef"), "cloud-config")
    answer, said = booting.boot(data)
    assert answer == "(2, True)", said
    booting.host.reboot()
    answer, said = booting.boot(data)
    assert answer == "(1, False)", said
    assert not booting.has(SENTINEL)
    report = json.loads((booting.c / REPORT).read_text())
    assert "kubeadm join ended with" in report["message"], report
    assert "0123456789abcdef" not in json.dumps(report)


def test_boot_data_ends_in_a_ready_node(booting):
    """Ready under the machine's own name, the sentinel written, the token gone."""
    plan = booting.plan()
    answer, said = booting.boot(compile_boot_data(plan, "cloud-config"))
    if answer == "(2, True)":
        booting.host.reboot()
        answer, said = booting.boot(compile_boot_data(plan, "cloud-config"))
    assert answer == "(1, False)", said
    assert not booting.has(REPORT), (booting.c / REPORT).read_text()
    assert booting.has(SENTINEL)
    assert not booting.has(CONFIGURATION)
    booting.await_ready()
    files = (
        path for path in (booting.c / "k").rglob("*") if path.is_file() and path.name != "user-data"
    )
    assert [path for path in files if booting.token.encode() in path.read_bytes()] == []
