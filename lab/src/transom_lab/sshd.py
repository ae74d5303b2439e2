r"""The SSH server of one Windows host: `python -m transom_lab.sshd`, started by `host` inside the room.

Behaves like OpenSSH on Windows as far as a client can see: commands run through `cmd /c`, exit codes
are whole 32-bit numbers, SFTP takes Windows path forms. One process per host: when the host reboots
it is killed, and every session with it. It listens on port 22 of the host's own address and on a
loopback port of the machine, bound before the room is entered.
"""

import argparse
import asyncio
import contextlib
import json
import os
import secrets
import signal
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import asyncssh

from transom_lab.forward import listen_on_loopback
from transom_lab.setns import enter
from transom_lab.winpath import NoSuchDriveError, display, locate

USER = "Administrator"
_MAX_COMMAND = 8191
"""What cmd.exe accepts."""
_CHUNK = 1 << 16
_LAST_OUTPUT_S = 3.0


@dataclass(frozen=True)
class Settings:
    """What the server is started with; a file only its owner can read."""

    address: str
    local_port: int
    room_pid: int
    host_key: str
    authorized_keys: str
    password_file: str
    drive_c: str
    loader: str
    environment: Mapping[str, str]


class _Gate(asyncssh.SSHServer):
    """Who may come in: the administrator, by key or by password."""

    def __init__(self, settings: Settings) -> None:
        self._password = Path(settings.password_file).read_text(encoding="ascii").strip()

    def begin_auth(self, username: str) -> bool:
        del username
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        same_name = username.casefold() == USER.casefold()
        return same_name and secrets.compare_digest(password.encode(), self._password.encode())


class _Files(asyncssh.SFTPServer):
    """SFTP on the system drive, with Windows path forms."""

    def __init__(self, channel: "asyncssh.SSHServerChannel[bytes]", drive_c: Path) -> None:
        super().__init__(channel)
        self._drive_c = drive_c

    def map_path(self, path: bytes) -> bytes:
        try:
            return os.fsencode(locate(path.decode(), self._drive_c))
        except (NoSuchDriveError, UnicodeDecodeError) as error:
            raise asyncssh.SFTPNoSuchFile(str(error)) from error

    def reverse_map_path(self, path: bytes) -> bytes:
        return display(Path(os.fsdecode(path)), self._drive_c).encode()


class Server:
    """One host's server: its settings and how it runs a command."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._drive_c = Path(settings.drive_c)

    async def handle(self, process: "asyncssh.SSHServerProcess[bytes]") -> None:
        """Run one command, or a bare `cmd` for a session without one."""
        command = process.command or "cmd"
        if len(command) > _MAX_COMMAND:
            process.stderr.write(b"The command line is too long.\r\n")
            process.exit(1)
            return
        answer = self._drive_c / "windows" / "temp" / f"exit-{secrets.token_hex(8)}"
        child = await asyncio.create_subprocess_exec(
            self._settings.loader,
            r"C:\windows\system32\launch.exe",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=self._home(),
            env={
                **self._settings.environment,
                **process.env,
                "LAB_COMMAND": command,
                "LAB_EXIT": rf"C:\windows\temp\{answer.name}",
            },
            start_new_session=True,
        )
        try:
            if await _serve_command(process, child):
                _exit(process, _exit_code(answer, child.returncode))
        finally:
            answer.unlink(missing_ok=True)
            _end_group(child.pid)

    def _home(self) -> Path:
        return locate(f"C:/Users/{USER}", self._drive_c)


async def _serve_command(
    process: "asyncssh.SSHServerProcess[bytes]", child: asyncio.subprocess.Process
) -> bool:
    """Carry the streams until the command ends, or the client goes away, which ends the command.

    Says whether there is still somebody to answer. The streams are copied here and not by asyncssh,
    which takes a channel that its client closed for an error and drops the whole connection.
    """
    assert child.stdout is not None
    assert child.stderr is not None
    outputs = [
        asyncio.create_task(_copy_out(child.stdout, process.stdout)),
        asyncio.create_task(_copy_out(child.stderr, process.stderr)),
    ]
    inward = asyncio.create_task(_copy_in(process, child))
    gone = asyncio.create_task(process.wait_closed())
    ended = asyncio.create_task(child.wait())
    try:
        await asyncio.wait({ended, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not gone.done():
            # What the command left running may hold its output open; that is not waited for.
            await asyncio.wait(outputs, timeout=_LAST_OUTPUT_S)
            return not gone.done()
        _end_group(child.pid)
        await ended
        return False
    finally:
        for task in (*outputs, inward, gone):
            task.cancel()


async def _copy_out(source: asyncio.StreamReader, target: "asyncssh.SSHWriter[bytes]") -> None:
    with contextlib.suppress(ConnectionError, asyncssh.Error):
        while part := await source.read(_CHUNK):
            target.write(part)
            await target.drain()


async def _copy_in(
    process: "asyncssh.SSHServerProcess[bytes]", child: asyncio.subprocess.Process
) -> None:
    assert child.stdin is not None
    with contextlib.suppress(ConnectionError, asyncssh.Error):
        while part := await process.stdin.read(_CHUNK):
            child.stdin.write(part)
            await child.stdin.drain()
    child.stdin.close()


def _exit(process: "asyncssh.SSHServerProcess[bytes]", code: int) -> None:
    """Report a whole 32-bit code, as OpenSSH on Windows does; asyncssh's own method keeps a byte."""
    channel = process.channel
    channel._send_request(b"exit-status", struct.pack(">I", code))  # noqa: SLF001 - no public way
    channel.close()


def _exit_code(answer: Path, fallback: int | None) -> int:
    try:
        (code,) = struct.unpack("<I", answer.read_bytes())
    except (OSError, struct.error):
        return fallback if fallback is not None and fallback >= 0 else 1
    return int(code)


def _end_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


async def _serve(settings: Settings, local: socket.socket) -> None:
    server = Server(settings)
    drive_c = Path(settings.drive_c)

    def files(channel: "asyncssh.SSHServerChannel[bytes]") -> _Files:
        return _Files(channel, drive_c)

    common = {
        "server_factory": lambda: _Gate(settings),
        "server_host_keys": [settings.host_key],
        "authorized_client_keys": settings.authorized_keys,
        "process_factory": server.handle,
        "sftp_factory": files,
        "encoding": None,
        "keepalive_interval": 30,
    }
    await asyncssh.listen(sock=local, **common)
    await asyncssh.listen(settings.address, 22, **common)
    await asyncio.Event().wait()


def main() -> None:
    """Read the settings and serve until killed."""
    parser = argparse.ArgumentParser(prog="python -m transom_lab.sshd")
    parser.add_argument("settings", type=Path)
    args = parser.parse_args()
    settings = Settings(**json.loads(args.settings.read_text(encoding="utf-8")))
    local = listen_on_loopback(settings.local_port)
    enter(settings.room_pid, ["net", "uts", "ipc", "mnt"])
    asyncio.run(_serve(settings, local))


if __name__ == "__main__":
    main()
