"""Many hosts over real SSH at once: every one has a result, one's failure is its own.

Twenty hosts here; `benchmarks/fleet.py` does the same with two hundred and prints what it costs.
"""

import asyncio
import json
import os
import signal
from dataclasses import replace

import pytest
from tests.simulation import Simulation, fleet_text, lock_of, python_archive
from tests.ssh_hosts import SshHosts

from transom.cli.main import main
from transom.cli.options import cluster_access, fleet_access
from transom.model.fleet import KubernetesSpec
from transom.model.order import read_order
from transom.node.host.values import Completed
from transom.recipe.lock_document import write_lock

_COUNT = 20
_WAVE = 10
_NEWER = "1.37.2"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A fleet in files, its hosts behind SSH servers, and its cluster in memory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    plain = fleet_text(_COUNT).replace("maxUnavailable: 1", f"maxUnavailable: {_WAVE}")
    simulation = Simulation(text=plain)
    machines = simulation.machines
    newer = replace(simulation.fleet, kubernetes=KubernetesSpec(_NEWER))
    both = lock_of([newer], [machine.host for machine in machines.values()])
    (tmp_path / "transom.lock").write_text(
        write_lock(simulation.lock.with_entries(both.entries)), encoding="utf-8"
    )
    (tmp_path / "python.zip").write_bytes(python_archive())
    monkeypatch.setattr(cluster_access, "open_api", lambda *_: simulation.api)
    doors_of = fleet_access.doors_of
    monkeypatch.setattr(fleet_access, "doors_of", lambda *a: replace(doors_of(*a), objects=None))
    hosts = SshHosts(machines, tmp_path)
    with hosts.open():
        (tmp_path / "fleet.yaml").write_text(hosts.text(plain), encoding="utf-8")
        yield simulation, hosts


def told(words, capsys):
    """A command's exit code and what it says of each host."""
    capsys.readouterr()
    code = main([*words, "--python", "python.zip", "-o", "json"])
    said = json.loads(capsys.readouterr().out)
    assert said["kind"] != "Error", said
    return code, said["hosts"]


def test_no_result_is_lost_and_one_hosts_failure_is_its_own(site, capsys):
    simulation, hosts = site
    names = list(simulation.machines)
    simulation.machines["win-07"].is_away = True

    code, planned = told(["plan"], capsys)
    assert code == 4
    assert [host["host"] for host in planned] == names
    assert [host["host"] for host in planned if host["standing"] == "unreachable"] == ["win-07"]

    code, applied = told(["apply", "--yes"], capsys)
    assert code == 4
    assert [host["host"] for host in applied] == names
    assert [host["host"] for host in applied if host["outcome"] != "changed"] == ["win-07"]

    simulation.machines["win-07"].is_away = False
    code, applied = told(["apply", "--yes"], capsys)
    assert code == 0
    assert {host["outcome"] for host in applied} == {"changed", "unchanged"}

    for door in hosts.doors.values():
        door.connections = door.commands = door.bytes_in = 0
    simulation.api.writes.clear()
    code, _ = told(["plan"], capsys)
    assert code == 0
    seen = [(door.connections, door.commands) for door in hosts.doors.values()]
    assert seen == [(1, 2)] * _COUNT  # whose folder it is, then ours
    assert max(door.bytes_in for door in hosts.doors.values()) < 16 * 1024
    assert simulation.api.writes == []

    _a_failed_wave_is_the_last(simulation, capsys)


def _a_failed_wave_is_the_last(simulation, capsys):
    names = list(simulation.machines)
    simulation.api.server_version = _NEWER
    broken = simulation.machines["win-05"].host
    works = broken.programs["kubeadm-new.exe"]
    broken.programs["kubeadm-new.exe"] = lambda *_: Completed(code=1, output="[ERROR CRI]")

    code, upgraded = told(["upgrade", "--to", _NEWER, "--yes"], capsys)
    assert code == 5
    outcomes = {host["host"]: host["outcome"] for host in upgraded}
    assert list(outcomes) == names
    assert [outcomes.pop(name) for name in names[:_WAVE] if name != "win-05"] == ["changed"] * 9
    assert outcomes.pop("win-05") == "failed"
    assert set(outcomes.values()) == {"not started"}
    assert simulation.machines["win-05"].kubelet == "1.37.1"

    broken.programs["kubeadm-new.exe"] = works
    code, upgraded = told(["upgrade", "--yes"], capsys)
    assert code == 0
    assert [host["host"] for host in upgraded] == names
    assert {machine.kubelet for machine in simulation.machines.values()} == {_NEWER}


def test_an_interrupted_apply_stops_cleanly_and_the_next_one_goes_on(site, capsys):
    """Ctrl-C while the second of the hosts is at work: a signal to this process, as a terminal sends it."""
    simulation, hosts = site
    chosen = ["--host", "win-01", "--host", "win-02", "--host", "win-03", "--parallel", "1"]
    door = hosts.doors["win-02"]
    serve, begun = door.answer, list[str]()

    async def interrupting(command, stdin):
        is_order = "node.pyz" in command
        if is_order and read_order(stdin.decode()).verb == "join" and not begun:
            begun.append(command)
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.3)  # the client has gone by now
        return await serve(command, stdin)

    door.answer = interrupting
    # A test's own process may ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = main(["apply", "--yes", "--python", "python.zip", *chosen])
    finally:
        signal.signal(signal.SIGINT, before)
    said = capsys.readouterr().err
    assert code == 130
    assert "hosts finish the step they are at and stop there; no more were begun" in said
    assert "done:            win-01" in said
    assert "to go on:        transom apply -f fleet.yaml" in said
    assert "cancel" in simulation.machines["win-02"].orders
    assert not simulation.machines["win-03"].is_joined
    assert simulation.api.secrets == {}
    door.answer = serve
    code, applied = told(["apply", "--yes", *chosen], capsys)
    assert code == 0
    assert all(host["ready"] for host in applied)


def test_hosts_live_their_whole_life_whatever_shell_their_ssh_server_has(site, capsys):
    simulation, hosts = site
    shells = {"win-01": "cmd", "win-02": "powershell", "win-03": "bash"}
    for name, shell in shells.items():
        hosts.doors[name].shell = shell
    chosen = [word for name in shells for word in ("--host", name)]

    code, planned = told(["plan", *chosen], capsys)
    assert (code, {host["standing"] for host in planned}) == (1, {"changes"})
    code, applied = told(["apply", "--yes", *chosen], capsys)
    assert (code, {host["outcome"] for host in applied}) == (0, {"changed"})
    code, planned = told(["plan", *chosen], capsys)
    assert (code, {host["standing"] for host in planned}) == (0, {"unchanged"})
    code, reset = told(["reset", "--yes", *chosen], capsys)
    assert (code, {host["outcome"] for host in reset}) == (0, {"reset"})
    assert not any(simulation.machines[name].is_joined for name in shells)


@pytest.mark.parametrize("shell", ["cmd", "powershell", "bash"])
def test_what_a_host_refuses_is_told_as_that_whatever_its_shell_makes_of_the_exit_code(
    site, capsys, shell
):
    simulation, hosts = site
    chosen = ["--host", "win-01"]
    told(["apply", "--yes", *chosen], capsys)
    hosts.doors["win-01"].shell = shell
    simulation.machines["win-01"].host.system.admin = False

    code, (host,) = told(["plan", *chosen], capsys)
    assert (code, host["standing"]) == (3, "refused")
