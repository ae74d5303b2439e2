"""Faults on demand do what they say, and can be taken back."""

import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from tests.support.lab import PIPE

import transom
from transom.node.packaging.build import build_node_zip
from transom_lab.faults import Faults
from transom_lab.hns.faults import Fault
from transom_lab.standins import CriFault, set_cri_faults


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
    _put(cluster.lab.host("win2"), r"C:\k\client.py", _CLIENT)
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


_FLUSH = r"""
import sys
sys.path.insert(0, r"C:\k\node.pyz")
from transom.node.host.values import RegistryData
from transom.node.host.windows.machine import WindowsHost
host = WindowsHost()
host.registry.make_key(r"SOFTWARE\Lab")
host.registry.put(r"SOFTWARE\Lab", "Flushed", RegistryData("string", "kept"))
host.flush()
"""


def test_a_host_whose_power_was_cut_boots_from_its_drive(cluster, faults):
    """Files and services are there again, and what was flushed of the registry."""
    host = cluster.lab.host("win2")
    (host.drive_c / "k" / "node.pyz").write_bytes(build_node_zip(Path(transom.__file__).parent))
    _put(host, r"C:\k\flush.py", _FLUSH)
    cluster.ssh("win2", r"echo kept> C:\k\kept.txt")
    flushed = cluster.ssh("win2", r"C:\Python\python.exe C:\k\flush.py")
    assert flushed.code == 0, flushed.text
    faults.cut_power("win2")
    assert not host.is_up
    faults.restore_power("win2")
    assert cluster.ssh("win2", r"type C:\k\kept.txt").stdout.strip() == "kept"
    registry = cluster.ssh("win2", r"reg query HKLM\SOFTWARE\Lab").stdout
    assert "Flushed" in registry
    host.await_service("containerd", "RUNNING")


_FILL = r"""
import ctypes, shutil
kernel = ctypes.WinDLL("kernel32", use_last_error=True)
kernel.CreateFileW.restype = ctypes.c_void_p
file = ctypes.c_void_p(kernel.CreateFileW(r"C:\k\big.bin", 0x40000000, 0, None, 2, 0, None))
done = ctypes.c_ulong()
for _ in range(64):
    if not kernel.WriteFile(file, bytes(65536), 65536, ctypes.byref(done), None):
        print(ctypes.get_last_error(), shutil.disk_usage("C:\\").free < 65536)
        break
"""


def test_a_full_disk_refuses_writes_until_there_is_room_again(cluster, faults):
    """The errors are the machine's own, the free space is true, and what was written before stays."""
    host = cluster.lab.host("win2")
    _put(host, r"C:\k\fill.py", _FILL)
    faults.fill_disk("win2", free_kib=512)
    try:
        assert cluster.ssh("win2", r"echo small> C:\k\small.txt").code == 0
        said = cluster.ssh("win2", r"C:\Python\python.exe C:\k\fill.py").stdout.split()
        assert said == ["112", "True"]  # ERROR_DISK_FULL
        assert cluster.ssh("win2", r"echo more> C:\k\more.txt & type C:\k\more.txt").stdout == ""
        assert "small" in (host.drive_c / "k" / "small.txt").read_text()
    finally:
        faults.free_disk("win2")
    answer = cluster.ssh("win2", r"C:\Python\python.exe C:\k\fill.py & type C:\k\small.txt")
    assert answer.stdout.strip() == "small"
    assert not (host.drive_c / "filler.bin").exists()


_WRITES = r"""
import sys
sys.path.insert(0, r"C:\k\node.pyz")
from transom.node.host.windows.machine import WindowsHost
disk = WindowsHost().disk
for number in range(1, 9):
    disk.create(rf"C:\k\written{number}.txt")
    disk.append(rf"C:\k\written{number}.txt", b"0123456789")
    if number % 2:
        disk.flush(rf"C:\k\written{number}.txt")
"""


@pytest.mark.parametrize("lose", [False, True])
def test_power_fails_at_the_write_that_was_named(cluster, faults, eventually, lose):
    """The write does not happen; of those before, the ones that were not flushed may be lost."""
    host = cluster.lab.host("win2")
    for file in (host.drive_c / "k").glob("written*.txt"):
        file.unlink()
    (host.drive_c / "k" / "node.pyz").write_bytes(build_node_zip(Path(transom.__file__).parent))
    _put(host, r"C:\k\writes.py", _WRITES)
    faults.cut_power_at_write("win2", program="python.exe", write=11, lose_unflushed=lose)
    with contextlib.suppress(asyncssh.Error, OSError):
        cluster.ssh("win2", r"C:\Python\python.exe C:\k\writes.py")
    eventually(lambda: not host.is_up, "the power is off")
    assert not faults.cancel_power_cut("win2")
    found = {file.name: file.stat().st_size for file in (host.drive_c / "k").glob("written*.txt")}
    # Three calls for each odd file and two for each even one: the eleventh creates the fifth file.
    kept = 0 if lose else 10
    assert found == {
        "written1.txt": 10,
        "written2.txt": kept,
        "written3.txt": 10,
        "written4.txt": kept,
    }
    faults.restore_power("win2")
    host.await_service("containerd", "RUNNING")


def test_power_fails_in_the_middle_of_an_upstream_program(cluster, faults, eventually):
    """kubeadm.exe is stopped at its second change of the disk; without the order it works again."""
    host = cluster.lab.host("win2")
    command = r"C:\k\kubeadm.exe reset --force --cri-socket npipe:////./pipe/containerd-containerd"
    faults.cut_power_at_write("win2", program="kubeadm.exe", write=2)
    with contextlib.suppress(asyncssh.Error, OSError):
        cluster.ssh("win2", command)
    eventually(lambda: not host.is_up, "the power is off")
    faults.restore_power("win2")
    host.await_service("containerd", "RUNNING")
    assert cluster.ssh("win2", command).code == 0


def _put(host: Any, place: str, text: str) -> None:
    scratch = host.directory / "scratch"
    scratch.write_text(text)
    host.put(scratch, place)


_HELD = r"""
import shutil, subprocess, sys
sys.path.insert(0, r"C:\k\node.pyz")
from transom.node.host.windows.machine import WindowsHost
host, held, part = WindowsHost(), r"C:\Python\held.exe", r"C:\Python\held.part"
disk = host.disk
for act, ends in ((lambda: host.files.move(part, held), False), (lambda: disk.remove(held), True)):
    shutil.copy(r"C:\Python\python.exe", held)
    disk.create(part)
    child = subprocess.Popen([held, "-c", "print(1, flush=True); import time; time.sleep(60)"], stdout=-1)
    child.stdout.readline()
    act()
    print(child.wait(10) if ends else child.poll(), disk.kind(held).value, flush=True)
    child.kill()
"""


def test_a_program_that_runs_goes_on_when_its_file_is_replaced_and_ends_when_it_is_removed(cluster):
    """A pod may run it from the host's own file, as kube-proxy; Windows refuses both while it runs."""
    host = cluster.lab.host("win2")
    (host.drive_c / "k" / "node.pyz").write_bytes(build_node_zip(Path(transom.__file__).parent))
    _put(host, r"C:\k\held.py", _HELD)
    answer = cluster.ssh("win2", r"C:\Python\python.exe C:\k\held.py")
    assert answer.stdout.split() == ["None", "file", "1", "absent"], answer.text


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


def test_a_runtime_call_fails_as_often_as_asked(cluster):
    """Seen by the upstream crictl.exe, while no kubelet asks."""
    cluster.reset("win2")
    host = cluster.lab.host("win2")
    host.put(cluster.windows_program("crictl"), r"C:\k\crictl.exe")
    set_cri_faults(host.drive_c, [CriFault("Version", code=14, message="by the test", count=2)])
    try:
        command = rf"C:\k\crictl.exe --runtime-endpoint {PIPE} version"
        answers = [cluster.ssh("win2", command) for _ in range(3)]
    finally:
        set_cri_faults(host.drive_c, [])
    assert ["by the test" in answer.text for answer in answers] == [True, True, False]
    assert [answer.code for answer in answers] == [1, 1, 0]


_NETWORK = {
    "SchemaVersion": {"Major": 2, "Minor": 0},
    "Name": "first",
    "Type": "L2Bridge",
    "Ipams": [{"Type": "Static", "Subnets": [{"IpAddressPrefix": "10.244.9.0/24"}]}],
}


def test_a_first_network_takes_the_connection_and_the_static_address_with_it(cluster, eventually):
    """As Windows may: the adapter goes to the new switch, and its address does not come back."""
    host = cluster.lab.host("win2")
    address = ["ip", "-4", "-o", "addr", "show", "eth0"]

    def addresses() -> str:
        return str(host.room.call(address, timeout_s=10).stdout.decode())

    assert host.plan.address in addresses()
    host.hns.reset()
    host.hns.interrupt_at_next_switch(down_s=2, lose_addresses=True)
    assert _reaches_the_api(cluster, "win2"), "nothing happens before a network is made"
    try:
        assert host.hns.call("HcnCreateNetwork", text=json.dumps(_NETWORK)).hresult == 0
        assert not _reaches_the_api(cluster, "win2")
        time.sleep(2)
        assert host.plan.address not in addresses()
        assert not _reaches_the_api(cluster, "win2")
    finally:
        host.hns.reset()
        Faults(cluster.lab).restore_address("win2")
    eventually(lambda: _reaches_the_api(cluster, "win2"), "the host has its address again")
