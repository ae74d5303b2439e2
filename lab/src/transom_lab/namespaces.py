"""Namespaces: the walls of a lab. A `Room` is one set of network, mount, UTS and process namespaces.

The ground room of a lab holds its bridge; the control plane's and the hosts' rooms have process
namespaces nested in the ground's. So killing one process, the ground's init, makes the kernel end
every process of the lab and with them every namespace, mount and interface: nothing is registered
under /run/netns, and nothing of the machine's own network or mounts is ever changed.

Processes are started by argument list and always belong
to the room's init, so that a crash of the command line leaves no orphan outside the room.
"""

import contextlib
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from transom.errors import PermanentError
from transom_lab.processes import failed, run_program

MARKER = "TRANSOM_LAB_ROOM"
"""Set in the environment of every process of a room; finds a lab's processes without its records."""

_START_TIMEOUT_S = 60.0
_STOP_TIMEOUT_S = 10.0
_END_TIMEOUT_S = 60.0
_POLL_S = 0.02

# The init of a room. /proc/self is read before the room's own /proc is mounted: it still shows the
# process number the machine sees. The loop reaps whatever is re-parented to it.
_INIT = """
set -e
read -r pid rest </proc/self/stat
mount -t proc proc /proc
hostname "$2"
ip link set lo up
eval "$3"
printf '%s\\n' "$pid" >"$1/init.new"
mv "$1/init.new" "$1/init.pid"
set +e
while :; do sleep 86400 & wait $!; done
"""

# Started through a shell that leaves at once: the program's parent is then the room's init, which
# reaps it, and never a process outside the room.
_SPAWN = 'pid=$1; log=$2; shift 2; setsid "$@" </dev/null >>"$log" 2>&1 & printf "%s\\n" $! >"$pid"'


@dataclass(frozen=True)
class Bind:
    """One bind mount a room starts with; seen inside the room only."""

    source: Path
    target: Path


class Enter(Enum):
    """How much of a room a program enters; the rest stays the machine's."""

    ALL = ("-n", "-u", "-i", "-p", "-m")
    PROCESSES = ("-p",)


class Room:
    """One set of namespaces, known by its run directory; survives the process that made it."""

    def __init__(self, run: Path) -> None:
        self.run_directory = run

    @property
    def name(self) -> str:
        """What people call the room: a host's name, `cp` or `ground`."""
        folder = self.run_directory
        return folder.parent.name if folder.name == "run" else folder.name

    @property
    def init_pid(self) -> int | None:
        """The room's init as the machine numbers it, or None if the room does not live."""
        try:
            pid = int((self.run_directory / "init.pid").read_text())
        except (FileNotFoundError, ValueError):
            return None
        return pid if self.run_directory in marks_of(pid) else None

    def open(
        self, *, hostname: str, binds: Sequence[Bind] = (), within: "Room | None" = None
    ) -> None:
        """Make the namespaces; with `within`, nested so that the outer room's end is this one's."""
        self.run_directory.mkdir(parents=True, exist_ok=True)
        (self.run_directory / "init.pid").unlink(missing_ok=True)
        mounts = "; ".join(
            shlex.join(["mount", "--bind", str(b.source), str(b.target)]) for b in binds
        )
        argv = [
            *("unshare", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork"),
            *("--propagation", "private", "sh", "-c", _INIT, "init"),
            *(str(self.run_directory), hostname, mounts),
        ]
        environment = {"PATH": _PATH, MARKER: self._marker(within)}
        if within is None:
            self._start_detached(argv, environment)
        else:
            within.spawn(
                "nested",
                argv,
                log=self.run_directory / "init.log",
                env=environment,
                enter=Enter.PROCESSES,
            )
        self._await_init()

    def command(
        self, argv: Sequence[str], *, cwd: Path | None = None, enter: Enter = Enter.ALL
    ) -> list[str]:
        """Turn a command into one that runs inside the room."""
        pid = self.init_pid
        if pid is None:
            raise PermanentError(
                f"cannot enter {self.name}: it is not running",
                subject=str(self.run_directory),
                hint="run `transom lab up`",
            )
        return ["nsenter", "-t", str(pid), *enter.value, f"--wd={cwd or '/'}", "--", *argv]

    def call(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stdin: bytes = b"",
        check: bool = True,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program in the room to its end and collect its output."""
        done = run_program(
            self.command(argv, cwd=cwd),
            timeout_s=timeout_s,
            env=self._environment(env),
            stdin=stdin,
        )
        if check and done.returncode:
            raise failed(argv, done)
        return done

    def outside(self, argv: Sequence[str], *, timeout_s: float) -> None:
        """Run a program of the machine that works on the room from without."""
        done = run_program(argv, timeout_s=timeout_s, env=self._environment(None))
        if done.returncode:
            raise failed(argv, done)

    def spawn(
        self,
        name: str,
        argv: Sequence[str],
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        enter: Enter = Enter.ALL,
    ) -> None:
        """Start a program in the background; its number is kept under `name`."""
        record = self.run_directory / f"{name}.pid"
        starter = self.command(
            ["sh", "-c", _SPAWN, "spawn", str(record), str(log), *argv], cwd=cwd, enter=enter
        )
        done = run_program(starter, timeout_s=_START_TIMEOUT_S, env=self._environment(env))
        if done.returncode:
            raise failed(argv, done)

    def is_alive(self, name: str) -> bool:
        """Whether the program started as `name` still runs."""
        state = self._status(name)
        return state is not None and "State:\tZ" not in state

    def stop(self, name: str, *, timeout_s: float = _STOP_TIMEOUT_S) -> None:
        """End the program started as `name`: asked first, then killed."""
        record = self.run_directory / f"{name}.pid"
        if self.is_alive(name):
            pid = record.read_text().strip()
            self.call(["kill", "-TERM", "--", f"-{pid}"], timeout_s=5, check=False)
            deadline = time.monotonic() + timeout_s
            while self.is_alive(name) and time.monotonic() < deadline:
                time.sleep(_POLL_S)
            if self.is_alive(name):
                self.call(["kill", "-KILL", "--", f"-{pid}"], timeout_s=5, check=False)
        record.unlink(missing_ok=True)

    def processes(self) -> set[int]:
        """Every process of the room, as the machine numbers them, whoever started it."""
        init = self.init_pid
        return set() if init is None else _members(_process_namespace(init))

    def close(self) -> None:
        """End every process of the room and of the rooms nested in it; the kernel removes the rest."""
        ending = processes_below(self.run_directory)
        for pid in ending:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        # An init has ended only when every process of its namespace has.
        deadline = time.monotonic() + _END_TIMEOUT_S
        while not all(map(_has_ended, ending)):
            if time.monotonic() > deadline:
                raise PermanentError(
                    f"cannot end the processes of {self.run_directory}",
                    subject=str(self.run_directory),
                    hint="a process is stuck in the kernel; see `ps` for state D",
                )
            time.sleep(_POLL_S)
        (self.run_directory / "init.pid").unlink(missing_ok=True)

    def _start_detached(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        with (self.run_directory / "init.log").open("ab") as log:
            subprocess.run(
                ["setsid", "--fork", *argv],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=dict(env),
                timeout=_START_TIMEOUT_S,
                check=True,
            )

    def _marker(self, within: "Room | None") -> str:
        outer = f"{within.run_directory}:" if within else ""
        return f"{outer}{self.run_directory}"

    @property
    def marks(self) -> str:
        """The marker every process of the room carries."""
        return ":".join(str(mark) for mark in marks_of(self.init_pid or 0))

    def _environment(self, extra: Mapping[str, str] | None) -> dict[str, str]:
        return {"PATH": _PATH, MARKER: self.marks, **(extra or {})}

    def _status(self, name: str) -> str | None:
        init = self.init_pid
        try:
            pid = int((self.run_directory / f"{name}.pid").read_text())
            return Path(f"/proc/{init}/root/proc/{pid}/status").read_text()
        except (OSError, ValueError):
            return None

    def _await_init(self) -> None:
        deadline = time.monotonic() + _START_TIMEOUT_S
        while self.init_pid is None:
            if time.monotonic() > deadline:
                said = (self.run_directory / "init.log").read_text(errors="replace").strip()
                raise PermanentError(
                    f"cannot make namespaces for {self.name}: {said or 'no answer'}",
                    subject=str(self.run_directory),
                    hint="run `transom lab doctor`",
                )
            time.sleep(_POLL_S)


_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def marks_of(pid: int) -> tuple[Path, ...]:
    """The run directories of the rooms a process belongs to, outermost first."""
    try:
        environ = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return ()
    prefix = f"{MARKER}=".encode()
    for item in environ.split(b"\0"):
        if item.startswith(prefix):
            return tuple(
                Path(os.fsdecode(part)) for part in item[len(prefix) :].split(b":") if part
            )
    return ()


def processes_below(directory: Path) -> set[int]:
    """Every marked process of a room whose run directory is `directory` or below it."""
    return {
        pid
        for pid in _every_process()
        if any(mark.is_relative_to(directory) for mark in marks_of(pid))
    }


def _every_process() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _process_namespace(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/ns/pid").readlink())
    except OSError:
        return ""


def _members(namespace: str) -> set[int]:
    return {pid for pid in _every_process() if _process_namespace(pid) == namespace != ""}


def _has_ended(pid: int) -> bool:
    try:
        return ") Z " in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
