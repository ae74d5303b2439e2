"""Two hundred hosts at once, by real SSH on addresses of this machine: what it takes, and that none is lost.

The hosts are simulated, in a process of their own, each with its own SSH server and the real node
program; the cluster is in memory there. A host that was asked the same before answers after the time a
Windows host takes, without its work being done again, for that would be the host's own processor.
Beside it the same with one `sftp` and one `ssh` process a host, and with Ansible's `raw`.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.managers import BaseManager
from pathlib import Path
from typing import Any

import fleet_client
import peers

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.simulation import Simulation, fleet_text, lock_of, python_archive  # noqa: E402
from tests.ssh_hosts import SshHosts  # noqa: E402

from transom.model.fleet import KubernetesSpec  # noqa: E402
from transom.node.host.values import Completed  # noqa: E402
from transom.recipe.lock_document import write_lock  # noqa: E402

COUNT = 200
WAVE = 10
FAILING = 0.05
NEWER = "1.37.2"
SLOWEST_S = 2.0
# A plan with nothing to do is run so often, and the one in the middle counts.
RUNS = 3
# Whose the program's folder is, then the program itself.
COMMANDS = 2
MOST_TIMES_SLOWEST = 3.0
MOST_TIMES_CPU = 0.25
# Start-up is promised with compiled modules, as an installed package has them.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
CALLS = "calls"
_AT_ONCE = 20
_MANIFEST = "/C:/k/transom/brought.json"


class Hosts:
    """The hosts, their SSH servers and their cluster, in the process that has them."""

    def __init__(self, count: int, folder: str) -> None:
        place = Path(folder)
        text = fleet_text(count).replace("maxUnavailable: 1", f"maxUnavailable: {WAVE}")
        self._simulation = Simulation(text=text)
        machines = self._simulation.machines
        newer = replace(self._simulation.fleet, kubernetes=KubernetesSpec(NEWER))
        lock = lock_of([newer], [machine.host for machine in machines.values()])
        both = self._simulation.lock.with_entries(lock.entries)
        (place / "transom.lock").write_text(write_lock(both), encoding="utf-8")
        (place / "python.zip").write_bytes(python_archive())
        self._hosts = SshHosts(machines, place)
        self._opened = self._hosts.open()
        self._opened.__enter__()
        (place / "fleet.yaml").write_text(self._hosts.text(text), encoding="utf-8")
        self._works: dict[str, Any] = {}
        calls = (str(place / CALLS), self.call)
        threading.Thread(target=fleet_client.serve, args=calls, daemon=True).start()

    def call(self, name: str, args: tuple[Any, ...], more: dict[str, Any]) -> Any:
        """A call of the cluster's API."""
        return asyncio.run(getattr(self._simulation.api, name)(*args, **more))

    def server_version(self, version: str) -> None:
        """The control plane was upgraded."""
        self._simulation.api.server_version = version

    def failing(self, share: float) -> list[str]:
        """So many of the hosts fail at their upgrade; their names."""
        names = list(self._simulation.machines)
        chosen = names[:: round(1 / share)]
        for name in chosen:
            programs = self._simulation.machines[name].host.programs
            self._works[name] = programs["kubeadm-new.exe"]
            programs["kubeadm-new.exe"] = _broken
        return chosen

    def mend(self) -> None:
        """They no longer fail."""
        for name, works in self._works.items():
            self._simulation.machines[name].host.programs["kubeadm-new.exe"] = works

    def names(self) -> list[str]:
        """The hosts."""
        return list(self._simulation.machines)

    def kubelets(self) -> dict[str, str]:
        """The version that lies on each host."""
        return {name: machine.kubelet for name, machine in self._simulation.machines.items()}

    def slow(self) -> None:
        """From now on a host takes as long as Windows would, and repeats what it said before."""
        doors = list(self._hosts.doors.values())
        for number, door in enumerate(doors):
            door.repeats = True
            door.answers_after_s = SLOWEST_S * (1 + number % 4) / 4

    def doors(self) -> dict[str, tuple[str, int, int, int, int]]:
        """Where each host's SSH server is, and what it has counted since it was last asked."""
        found = {}
        for name, door in self._hosts.doors.items():
            found[name] = (door.address, door.port, door.connections, door.commands, door.bytes_in)
            door.connections = door.commands = door.bytes_in = 0
        return found

    def host_key(self) -> str:
        """The public key of them all."""
        return self._hosts.host_key

    def slowest(self) -> str:
        """The host that takes longest."""
        return max(self._hosts.doors, key=lambda name: self._hosts.doors[name].answers_after_s)

    def last(self, name: str) -> tuple[str, bytes]:
        """The command that a host was given last, and its standard input."""
        return self._hosts.doors[name].last


def _broken(*_: object) -> Completed:
    return Completed(code=1, output="[ERROR CRI]: the runtime does not answer")


class Process(BaseManager):
    """The process of the hosts."""


_HERE: list[Hosts] = []


def _begin(count: int, folder: str) -> None:
    _HERE.append(Hosts(count, folder))


Process.register("hosts", callable=lambda: _HERE[0])


@dataclass(frozen=True)
class Spent:
    """What a program took."""

    code: int
    out: str
    wall_s: float
    cpu_s: float
    peak_kib: int


def spent(command: list[str], folder: Path, stdin: bytes = b"") -> Spent:
    """Run a program to its end in that folder."""
    start = time.monotonic()
    with (folder / "stderr").open("wb") as errors, tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        child = subprocess.Popen(
            command,
            cwd=folder,
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=ENVIRONMENT,
        )
        assert child.stdout is not None
        out = child.stdout.read().decode()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    wall_s, cpu_s = time.monotonic() - start, usage.ru_utime + usage.ru_stime
    return Spent(child.returncode, out, wall_s, cpu_s, usage.ru_maxrss)


class Bench:
    """The folder of the fleet, the process of its hosts, and the commands run on it."""

    def __init__(self, folder: Path, hosts: Any) -> None:
        self.folder, self.hosts = folder, hosts

    def transom(self, *words: str) -> Spent:
        """Run transom whole: its start and imports are counted as well."""
        client = [sys.executable, str(ROOT / "benchmarks" / "fleet_client.py"), CALLS]
        done = spent([*client, *words, "--python", "python.zip"], self.folder)
        if done.code not in (0, 1, 4, 5):
            sys.exit(f"transom {' '.join(words)}: {(self.folder / 'stderr').read_text()}")
        return done

    def told(self, verb: str, *words: str, expected: int) -> list[dict[str, Any]]:
        """Run transom and print what it took; every host must have a result."""
        done = self.transom(verb, *words, "-o", "json")
        results: list[dict[str, Any]] = json.loads(done.out)["hosts"]
        names = [host["host"] for host in results]
        if done.code != expected or sorted(names) != sorted(self.hosts.names()):
            errors = {host["error"] for host in results if host["error"]}
            sys.exit(f"{verb} ended with {done.code} and told of {len(names)} hosts: {errors}")
        count = len(names)
        print(
            f"{verb:<8} {count} hosts, none lost  {done.wall_s:6.1f} s  client "
            f"{done.cpu_s / count * 1000:6.1f} ms CPU and {done.peak_kib / count:4.0f} KiB a host"
        )
        return results


def change(bench: Bench) -> None:
    """Plan, apply and upgrade with failures; every one is told, and the rest is done."""
    bench.told("plan", expected=1)
    bench.told("apply", "--yes", expected=0)
    bench.hosts.server_version(NEWER)
    broken = bench.hosts.failing(FAILING)
    found = bench.told("upgrade", "--to", NEWER, "--yes", "--keep-going", expected=5)
    failed = sorted(host["host"] for host in found if host["outcome"] == "failed")
    old = sorted(name for name, version in bench.hosts.kubelets().items() if version != NEWER)
    if not failed == sorted(broken) == old:
        errors = {host["error"] for host in found if host["host"] not in broken and host["error"]}
        sys.exit(f"{len(failed)} failed and {len(old)} are of the old version: {errors}")
    print(f"         {len(failed)} of them failed as they should and were rolled back")
    bench.hosts.mend()
    bench.told("upgrade", "--yes", expected=0)


def look(bench: Bench) -> bool:
    """A plan with nothing to do, beside single processes; whether the figures are reached."""
    bench.hosts.slow()
    bench.transom("plan")  # every host has given its answer once
    bench.hosts.doors()
    one = bench.transom("plan", "--host", bench.hosts.slowest())
    bench.hosts.doors()
    done = sorted((bench.transom("plan") for _ in range(RUNS)), key=lambda run: run.cpu_s)[
        RUNS // 2
    ]
    doors = bench.hosts.doors()
    count = len(doors)
    most = max(sent for *_, sent in doors.values()) / RUNS
    ours = done.cpu_s / count * 1000
    theirs = processes(bench, doors)
    print(f"plan with nothing to do, {count} hosts; load average {os.getloadavg()[0]:.1f}")
    alone = library_alone(bench, doors)
    print(f"{alone:8.1f} ms CPU a host of asyncssh alone, {alone / theirs:.2f} x those processes")
    asked = {(connections, commands) for _, _, connections, commands, _ in doors.values()}
    return all(
        (
            done.code == 0 and asked == {(RUNS, COMMANDS * RUNS)},
            _judge("s", "the slowest host alone", done.wall_s, one.wall_s, MOST_TIMES_SLOWEST),
            _judge("bytes", "16 KiB to a host", most, 16 * 1024, 1.0),
            _judge("ms CPU a host", "one ssh and one sftp process", ours, theirs, MOST_TIMES_CPU),
        )
    )


def _judge(unit: str, peer: str, ours: float, theirs: float, most: float) -> bool:
    kept = ours <= most * theirs
    said = "kept" if kept else "MISSED"
    print(
        f"{ours:8.1f} {unit}, {ours / theirs:.2f} x {peer} ({theirs:.1f}): {said} (at most {most})"
    )
    return kept


def processes(bench: Bench, doors: dict[str, Any]) -> float:
    """CPU milliseconds a host: `sftp` for the manifest, `ssh` for the survey with the same request."""
    known = bench.folder / "known_hosts"
    known.write_text("".join(f"[{d[0]}]:{d[1]} {bench.hosts.host_key()}\n" for d in doors.values()))
    command, request = bench.hosts.last(next(iter(doors)))
    options = ["-F", "none", "-i", "id_ed25519", "-o", f"UserKnownHostsFile={known}"]

    def both(door: Any) -> float:
        to, port = f"Administrator@{door[0]}", str(door[1])
        sftp = ["sftp", "-q", "-b", "-", *options, "-P", port, to]
        ssh = ["ssh", "-T", *options, "-p", port, to, command]
        return sum(
            _good(spent(words, bench.folder, stdin)).cpu_s
            for words, stdin in (
                (sftp, f"get {_MANIFEST} /dev/null\n".encode()),
                (ssh, request),
            )
        )

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return sum(pool.map(both, doors.values())) / len(doors) * 1000


def library_alone(bench: Bench, doors: dict[str, Any]) -> float:
    """CPU milliseconds a host: the same requests by the library that Transom uses, and nothing else."""
    command, request = bench.hosts.last(next(iter(doors)))
    given = {
        "doors": [door[:2] for door in doors.values()],
        "command": command,
        "request": request.decode(),
        "hostKey": bench.hosts.host_key(),
    }
    words = [sys.executable, str(ROOT / "benchmarks" / "fleet_asyncssh.py")]
    done = _good(spent(words, bench.folder, json.dumps(given).encode()))
    return done.cpu_s / len(doors) * 1000


def _good(done: Spent) -> Spent:
    if done.code != 0:
        sys.exit("ssh, sftp or asyncssh failed")
    return done


def ansible(bench: Bench, doors: dict[str, Any], installed: Path) -> None:
    """Ansible's time for a command that does nothing on as many hosts, where it can be had."""
    program = peers.ansible(installed)
    if program is None:
        print("Ansible: not installed")
        return
    common = (
        "ansible_user=Administrator ansible_ssh_private_key_file=id_ed25519 "
        "ansible_ssh_common_args='-F none -o UserKnownHostsFile=known_hosts'"
    )
    lines = (f"{n} ansible_host={d[0]} ansible_port={d[1]} {common}" for n, d in doors.items())
    (bench.folder / "inventory").write_text("[all]\n" + "\n".join(lines) + "\n")
    words = ["-i", "inventory", "-m", "raw", "-a", "hostname", "--forks", "100", "all"]
    done = spent([str(program), *words], bench.folder)
    print(
        f"Ansible raw, 100 forks: {done.wall_s:.1f} s, {done.cpu_s / len(doors) * 1000:.0f} ms CPU "
        f"a host (exit code {done.code})"
    )


def main() -> int:
    """Measure and print; 1 where a figure is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--peers", type=Path, help="where Ansible is installed, to keep it")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="transom-fleet-") as folder:
        process = Process(ctx=get_context("fork"))
        process.start(_begin, (args.count, folder))
        try:
            hosts = process.hosts()  # type: ignore[attr-defined]
            bench = Bench(Path(folder), hosts)
            change(bench)
            reached = look(bench)
            ansible(bench, bench.hosts.doors(), args.peers or Path(folder, "peers"))
        finally:
            process.shutdown()
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
