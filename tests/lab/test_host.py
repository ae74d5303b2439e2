"""A host looks like the Windows it was asked to be, and like nothing else."""

import json
from typing import Any

import asyncssh
import pytest

from transom.errors import UsageError
from transom_lab.lab import Wish

_LOOK = r"""
import ctypes, json, os, platform, socket, sys, winreg
v = sys.getwindowsversion()
key = winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SOFTWARE\Microsoft\Windows NT\CurrentVersion")
value = lambda name: winreg.QueryValueEx(key, name)[0]
print(json.dumps({
    "version": [v.major, v.minor, v.build], "product": value("ProductName"), "ubr": value("UBR"),
    "computer": os.environ["COMPUTERNAME"], "host": socket.gethostname(),
    "drives": [d for d in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if os.path.exists(d + ":\\")],
    "server": v.product_type == 3,
}))
"""


def _look(cluster: Any, name: str) -> Any:
    host = cluster.lab.host(name)
    script = host.directory / "look.py"
    script.write_text(_LOOK)
    host.put(script, r"C:\k\look.py")
    answer = cluster.ssh(name, r"C:\Python\python.exe C:\k\look.py")
    assert answer.code == 0, answer.text
    return json.loads(answer.stdout)


def test_windows_says_the_release_the_name_and_one_drive(cluster):
    assert _look(cluster, "win2") == {
        "version": [10, 0, 20348],
        "product": "Windows Server 2022 Datacenter",
        "ubr": 2853,
        "computer": "WIN2",
        "host": "win2",
        "drives": ["C"],
        "server": True,
    }


def test_a_lab_that_runs_is_not_taken_for_one_of_another_release(cluster):
    with pytest.raises(UsageError, match="already up with Windows Server 2022, not 2025"):
        cluster.lab.up(Wish(hosts=2, windows="2025"))


@pytest.mark.parametrize(
    ("name", "release", "build"), [("win3", "2019", 17763), ("win4", "2025", 26100)]
)
def test_a_host_can_be_added_with_another_release(cluster, name, release, build):
    cluster.lab.up(Wish(hosts=int(name[-1]), windows=release, bare=True))
    seen = _look(cluster, name)
    assert seen["version"] == [10, 0, build]
    assert seen["product"] == f"Windows Server {release} Datacenter"
    assert seen["computer"] == name.upper()


def test_hosts_reach_each_other_and_the_control_plane_by_address(cluster):
    script = (
        "import socket; "
        "socket.create_connection(('10.77.0.2', 6443), 5); "
        "socket.create_connection(('10.77.0.12', 22), 5); print('reached')"
    )
    answer = cluster.ssh("win1", rf'C:\Python\python.exe -c "{script}"')
    assert answer.stdout.strip() == "reached", answer.text


def test_a_program_can_restart_the_host(cluster, eventually):
    """`shutdown /r` is carried out: the host goes down, comes back, and knows that it booted."""
    host = cluster.lab.host("win2")
    before = _boots(host)
    answer = cluster.ssh("win2", "shutdown /r /t 0")
    assert answer.code == 0, answer.text
    eventually(lambda: _boots(host) == before + 1, "the host went down")
    eventually(lambda: _answers(cluster, "win2"), "the host has booted again")


def _answers(cluster: Any, name: str) -> bool:
    try:
        return bool(cluster.ssh(name, "echo back").stdout.strip() == "back")
    except (OSError, asyncssh.Error):
        return False


def _boots(host: Any) -> int:
    file = host.drive_c / "ProgramData/transom-lab/boot.json"
    return int(json.loads(file.read_text())["number"]) if file.exists() else 0
