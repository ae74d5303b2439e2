r"""One Windows host: a prefix in a room of its own, with its HNS service and its SSH server.

    hosts/NAME/prefix   the system drive and registry        hosts/NAME/hns      state and calls of HNS
    hosts/NAME/run      the room's processes                 hosts/NAME/*.log    what its services said

Wine makes sockets in wineserver, so that is started first and inside the room.
"""

import errno
import json
import secrets
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from ipaddress import IPv4Address
from pathlib import Path

from transom.errors import PermanentError, TemporaryError
from transom_lab.hns.client import HnsClient
from transom_lab.namespaces import Bind, Enter, Room
from transom_lab.network import CONTROL_PLANE, connect
from transom_lab.prefix import copy_prefix
from transom_lab.processes import failed
from transom_lab.registry import render_registry, windows_release
from transom_lab.sshd import Settings
from transom_lab.standins import note_boot
from transom_lab.volume import is_limited
from transom_lab.wine import Wine
from transom_lab.winpath import locate

PROGRAM_FOLDER = r"C:\k"

_WINDOWS_TIMEOUT_S = 120.0
_SERVICES_TIMEOUT_S = 20.0
_LISTEN_TIMEOUT_S = 60.0
_POLL_S = 0.05
_SERVICE_PAUSE_S = 0.1
# Wine loses a new process now and then, before its first instruction.
_LOST = b"ShellExecuteEx failed: Internal error."
_TRIES = 3


@dataclass(frozen=True)
class HostPlan:
    """What a host is: written into the lab's record, read by every later command."""

    name: str
    address: str
    windows: str
    local_port: int


class WindowsHost:
    """A Windows host of a lab, below one directory; survives the process that started it."""

    def __init__(self, directory: Path, plan: HostPlan, wine: Wine) -> None:
        self.directory = directory
        self.plan = plan
        self.room = Room(directory / "run")
        self.prefix = directory / "prefix"
        self.password_file = directory / "password"
        self.host_key = directory / "ssh_host_ed25519_key"
        self.hns = HnsClient(directory / "hns")
        self.wine = wine

    @property
    def drive(self) -> Path:
        """Drive C as processes of the room see it."""
        return self.prefix / "drive_c"

    @property
    def drive_c(self) -> Path:
        """Drive C as the machine sees it: through the room, where something is mounted on it."""
        if is_limited(self.room, self.drive):
            return Path(f"/proc/{self.room.init_pid}/root{self.drive}")
        return self.drive

    @property
    def is_up(self) -> bool:
        """Whether its network service and SSH server run."""
        return all(self.room.is_alive(name) for name in ("hns", "sshd"))

    @property
    def public_key(self) -> str:
        """The key by which its SSH server is known; nothing before the host was made."""
        file = self.host_key.with_suffix(".pub")
        return file.read_text(encoding="ascii").strip() if file.exists() else ""

    @property
    def is_complete(self) -> bool:
        """Whether it was once brought up to the end, by an `up` that nobody killed."""
        return self._complete_file.exists()

    def note_complete(self) -> None:
        """Remember that the host was brought up to the end."""
        self._complete_file.touch()

    def create(self, base: Path, files: Mapping[str, Path], *, registry: Path) -> None:
        """Copy the base and put `files` (place on the drive to file of the machine) into it."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self._complete_file.unlink(missing_ok=True)
        shutil.rmtree(self.prefix, ignore_errors=True)
        copy_prefix(base, self.prefix)
        for place, file in files.items():
            self.put(file, place)
        release = windows_release(self.plan.windows)
        template = registry.read_text(encoding="utf-8")
        text = render_registry(template, release, self.plan.name, address=self.plan.address)
        self._registry_file.write_text(text, encoding="utf-8", newline="")
        for name in ("tmp", "hns"):
            (self.directory / name).mkdir(exist_ok=True)
        self.password_file.touch(mode=0o600)
        self.password_file.write_text(secrets.token_urlsafe(12), encoding="ascii")
        _make_host_key(self.host_key)
        # Its own names: without them each look-up of the host's own name waits for a DNS server.
        plan = self.plan
        (self.directory / "etc-hosts").write_text(
            f"127.0.0.1 localhost\n{plan.address} {plan.name}\n{CONTROL_PLANE} cp\n",
            encoding="ascii",
        )
        (self.directory / "resolv.conf").touch()

    def start(self, ground: Room, *, authorized_keys: Path) -> None:
        """Make the room, boot Windows in it and let people in."""
        self.room.open(
            hostname=self.plan.name,
            binds=[
                Bind(self.directory / "etc-hosts", Path("/etc/hosts")),
                Bind(self.directory / "resolv.conf", Path("/etc/resolv.conf")),
                Bind(self.directory / "tmp", Path("/tmp")),  # noqa: S108 - the room's own
            ],
            within=ground,
        )
        connect(ground, self.room, name=self.plan.name, address=IPv4Address(self.plan.address))
        self._write_ssh_settings(authorized_keys)
        self.boot()

    def reboot(self) -> None:
        """Shut down and boot again; automatic services start by themselves."""
        self.shut_down()
        self.boot()

    def shut_down(self) -> None:
        """Stop services as Windows does, then end every process; the room and the drive stay."""
        if self.room.is_alive("wineserver"):
            self.run(["endservices"], timeout_s=_SERVICES_TIMEOUT_S, check=False)
        if self.room.is_alive("hns"):
            self.hns.reboot()
        for name in ("sshd", "hns"):
            self.room.stop(name, timeout_s=2)
        self.room.call(
            [str(self.wine.server), "-k"],
            timeout_s=_WINDOWS_TIMEOUT_S,
            env=self.wine.environment(self.prefix),
            check=False,
        )
        self.room.stop("wineserver")
        try:
            note_boot(self.drive_c)
        except OSError as error:
            if error.errno != errno.ENOSPC:  # a full disk may reboot; only the stand-ins miss it
                raise

    def boot(self) -> None:
        """Start Windows in the room, which is there, and let people in."""
        self._start_server()
        self.start_hns()
        if self._registry_file.exists():
            self.run(["regedit", "/S", r"C:\k\host.reg"])
            self._registry_file.unlink()
        self.run(["wineboot"])
        self.restart_ssh()

    def restart_ssh(self) -> None:
        """Start the SSH server, anew where it runs: what its sessions ran goes on by itself."""
        self.room.stop("sshd", timeout_s=2)
        self._python("sshd", "transom_lab.sshd", str(self._ssh_settings), enter=Enter.PROCESSES)
        self._await_ssh()

    def start_hns(self, *options: str) -> None:
        """Start the networking service, anew where it runs, with options of its own."""
        self.room.stop("hns")
        self._python("hns", "transom_lab.hns", "--directory", str(self.hns.directory), *options)
        deadline = time.monotonic() + _LISTEN_TIMEOUT_S
        while not self._hns_answers():
            if time.monotonic() > deadline:
                raise PermanentError(
                    f"the networking service of {self.plan.name} does not answer",
                    subject=self.plan.name,
                    hint=f"see {self.directory / 'hns.log'}",
                )
            time.sleep(_POLL_S)

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float = _WINDOWS_TIMEOUT_S,
        check: bool = True,
        stdin: bytes = b"",
    ) -> str:
        """Run a Windows program and return what it printed."""
        argv = [str(self.wine.loader), *argv]
        for _ in range(_TRIES):
            done = self.room.call(
                argv,
                timeout_s=timeout_s,
                env=self.wine.environment(self.prefix),
                cwd=self.drive / "k",
                check=False,
                stdin=stdin,
            )
            if not (done.returncode and _LOST in done.stderr):
                break
        if check and done.returncode:
            raise failed(argv, done)
        return done.stdout.decode(errors="replace").replace("\r\n", "\n")

    def command(self, argv: Sequence[str]) -> tuple[list[str], dict[str, str]]:
        """The command of the machine, and its environment, that runs a Windows program here."""
        inside = self.room.command([str(self.wine.loader), *argv], cwd=self.drive / "k")
        return inside, self.wine.environment(self.prefix)

    def put(self, file: Path, place: str) -> None:
        r"""Copy a file of the machine to `place` on the system drive, for example `C:\k\x.exe`."""
        target = locate(place, self.drive_c)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copy(file, target)

    def create_service(self, name: str, command_line: str, *, depends: str = "") -> None:
        """Register a service that starts with the host."""
        depend = ["depend=", depends] if depends else []
        self.run(["sc", "create", name, "start=", "auto", *depend, "binPath=", command_line])

    def start_service(self, name: str) -> None:
        """Start a service and wait until the service manager calls it running."""
        self.run(["sc", "start", name])
        self.await_service(name, "RUNNING")

    def service_state(self, name: str) -> str:
        """What the service manager says: RUNNING, STOPPED, or nothing for an unknown service."""
        said = self.run(["sc", "query", name], check=False)
        words = next((line.split() for line in said.splitlines() if "STATE" in line), [])
        return words[-1] if words else ""

    def await_service(self, name: str, state: str, *, timeout_s: float = 60.0) -> None:
        """Wait for a state, under a deadline."""
        deadline = time.monotonic() + timeout_s
        while (now := self.service_state(name)) != state:
            if time.monotonic() > deadline:
                raise PermanentError(
                    f"service {name} on {self.plan.name} is {now or 'unknown'}, not {state}",
                    subject=name,
                    hint=f"see the logs below {self.drive_c / 'var' / 'log'}",
                )
            time.sleep(_SERVICE_PAUSE_S)

    def _hns_answers(self) -> bool:
        try:
            self.hns.state()
        except TemporaryError:
            return False
        return True

    def _start_server(self) -> None:
        self.room.spawn(
            "wineserver",
            [str(self.wine.server), "--foreground", "--persistent"],
            log=self.directory / "wineserver.log",
            env=self.wine.environment(self.prefix),
        )

    def _python(self, name: str, module: str, *arguments: str, enter: Enter = Enter.ALL) -> None:
        self.room.spawn(
            name,
            [sys.executable, "-m", module, *arguments],
            log=self.directory / f"{name}.log",
            enter=enter,
        )

    @property
    def _complete_file(self) -> Path:
        return self.directory / "complete"

    @property
    def _registry_file(self) -> Path:
        """What the host's registry still lacks: imported once, at its first boot."""
        return self.drive_c / "k" / "host.reg"

    @property
    def _ssh_settings(self) -> Path:
        return self.directory / "sshd.json"

    def _write_ssh_settings(self, authorized_keys: Path) -> None:
        pid = self.room.init_pid
        assert pid is not None
        settings = Settings(
            address=self.plan.address,
            local_port=self.plan.local_port,
            room_pid=pid,
            host_key=str(self.host_key),
            authorized_keys=str(authorized_keys),
            password_file=str(self.password_file),
            drive_c=str(self.drive),
            loader=str(self.wine.loader),
            environment={
                **self.wine.environment(self.prefix),
                "PATH": "/usr/bin:/bin",
                "TRANSOM_LAB_ROOM": self.room.marks,
            },
        )
        self._ssh_settings.touch(mode=0o600)
        self._ssh_settings.write_text(json.dumps(asdict(settings)), encoding="utf-8")

    def _await_ssh(self) -> None:
        port = f":{self.plan.local_port:04X}"
        deadline = time.monotonic() + _LISTEN_TIMEOUT_S
        while not any(
            line.split()[1].endswith(port) and line.split()[3] == "0A"
            for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
        ):
            if time.monotonic() > deadline or not self.room.is_alive("sshd"):
                said = (self.directory / "sshd.log").read_text(errors="replace").strip()[-500:]
                raise PermanentError(
                    f"the SSH server of {self.plan.name} did not start: {said}",
                    subject=self.plan.name,
                )
            time.sleep(_POLL_S)


def _make_host_key(path: Path) -> None:
    import asyncssh

    key = asyncssh.generate_private_key("ssh-ed25519")
    path.touch(mode=0o600)
    path.write_bytes(key.export_private_key())
    path.with_suffix(".pub").write_bytes(key.export_public_key())
