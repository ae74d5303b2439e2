"""Faults on demand do what they say, and can be taken back."""

import sys
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


_SERVER = """
import socket
server = socket.create_server(("10.77.0.1", 9000))
while True:
    connection, _ = server.accept()
    with connection:
        connection.sendall(bytes(200_000))
"""
_CLIENT = """
import socket, time
began = time.monotonic()
with socket.create_connection(("10.77.0.1", 9000), 30) as connection:
    while connection.recv(65536):
        pass
print(time.monotonic() - began)
"""


def test_a_slow_network_lets_through_what_was_asked_and_no_more(cluster, faults):
    """200 kB through 400 kbit/s take four seconds, and none of it without the limit."""
    host = cluster.lab.host("win2")
    script = host.directory / "client.py"
    script.write_text(_CLIENT)
    host.put(script, r"C:\k\client.py")
    ground = cluster.lab.ground
    argv = [sys.executable, "-c", _SERVER]
    ground.spawn("server", argv, log=cluster.lab.directory / "server.log")

    def seconds() -> float:
        answer = cluster.ssh("win2", r"C:\Python\python.exe C:\k\client.py")
        assert answer.code == 0, answer.text
        return float(answer.stdout)

    try:
        faults.slow_network("win2", kbit_s=400)
        slow = seconds()
        faults.restore_speed("win2")
        assert slow > 2
        assert seconds() < slow / 2
    finally:
        ground.stop("server")


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
