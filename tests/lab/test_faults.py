"""Faults on demand do what they say, and can be taken back."""

from typing import Any

import pytest

from transom_lab.faults import Faults
from transom_lab.hns.faults import Fault


@pytest.fixture
def faults(cluster):
    """Faults of the session's lab."""
    return Faults(cluster.lab)


def _reaches_the_api(cluster: Any, name: str) -> bool:
    script = "import socket; socket.create_connection(('10.77.0.2', 6443), 2)"
    return bool(cluster.ssh(name, rf'C:\Python\python.exe -c "{script}"').code == 0)


def test_a_cut_network_reaches_nothing_until_it_is_mended(cluster, faults, eventually):
    assert _reaches_the_api(cluster, "win2")
    faults.cut_network("win2")
    try:
        assert not _reaches_the_api(cluster, "win2")
    finally:
        faults.mend_network("win2")
    eventually(lambda: _reaches_the_api(cluster, "win2"), "the network is back")


def test_a_host_whose_power_was_cut_boots_from_its_drive(cluster, faults):
    """Files and services are there again; only what the registry had not written yet is lost."""
    host = cluster.lab.host("win2")
    host.reboot()  # writes the registry
    cluster.ssh("win2", r"echo kept> C:\k\kept.txt")
    faults.cut_power("win2")
    assert not host.is_up
    faults.restore_power("win2")
    assert cluster.ssh("win2", r"type C:\k\kept.txt").stdout.strip() == "kept"
    host.await_service("containerd", "RUNNING")


def test_a_killed_program_is_gone_and_starts_with_its_service(cluster, faults):
    host = cluster.lab.host("win2")
    host.await_service("containerd", "RUNNING")
    assert faults.kill_program("win2", "containerd-standin.exe") == 1
    assert faults.kill_program("win2", "containerd-standin.exe") == 0
    host.reboot()
    host.await_service("containerd", "RUNNING")


def test_a_networking_call_fails_as_often_as_asked(cluster):
    hns = cluster.lab.host("win2").hns
    hns.fail(Fault(function="HcnEnumerateNetworks", hresult=0x803B0020, count=1))
    answers = [hns.call("HcnEnumerateNetworks", text="{}").hresult for _ in range(2)]
    assert answers == [0x803B0020, 0]
