"""Simulated hosts behind real SSH servers on addresses of this machine: one process, any number.

Used by the fan-out test and by its benchmark. Files go over SFTP to the simulated disk; a command is the
real node program on it. Servers work in a thread of their own, so that the command line runs as always.
"""

import asyncio
import shlex
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncssh
from tests.simulation import Machine, Session
from tests.support import windows_shells

from transom.node.host.values import PathKind
from transom.remote import powershell
from transom.remote.session import Completed
from transom.remote.shells import WHICH

_USER = "Administrator"
# What sshd of Windows Server offers (OpenSSH 8.1 to 9.5), as far as asyncssh has it: nothing with ML-KEM.
_KEX = "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384"
_READ, _WRITE = asyncssh.FXF_READ, asyncssh.FXF_WRITE
_KIND = {
    PathKind.FILE: asyncssh.FILEXFER_TYPE_REGULAR,
    PathKind.DIRECTORY: asyncssh.FILEXFER_TYPE_DIRECTORY,
}
_MODE = {PathKind.FILE: 0o100644, PathKind.DIRECTORY: 0o040755}


def _send_as_windows(connection: Any, kind: int, *parts: bytes, **more: Any) -> None:
    """No packet that is to be ignored, which asyncssh sends before each: sshd of Windows does not, and clients pay for it."""
    if kind != asyncssh.constants.MSG_IGNORE:
        asyncssh.connection.SSHConnection.send_packet(connection, kind, *parts, **more)


asyncssh.SSHServerConnection.send_packet = _send_as_windows  # type: ignore[assignment,method-assign]


@dataclass
class _Open:
    """A file that a client has open; what was written is kept when it is closed."""

    path: str
    content: bytearray
    writes: bool


class _Files(asyncssh.SFTPServer):
    """The simulated disk as OpenSSH for Windows shows it: `/C:/k/x`."""

    def __init__(self, channel: Any, machine: Machine) -> None:
        super().__init__(channel)
        self._files, self._disk = machine.host.files, machine.host.disk

    def open(self, path: bytes, pflags: int, attrs: Any) -> _Open:
        del attrs
        name = _windows(path)
        there = self._files.kind(name) is PathKind.FILE
        if not there and not pflags & asyncssh.FXF_CREAT:
            raise asyncssh.SFTPNoSuchFile(f"no {name}")
        kept = there and not pflags & asyncssh.FXF_TRUNC
        content = bytearray(self._files.read(name)) if kept else bytearray()
        return _Open(name, content, writes=bool(pflags & _WRITE))

    def read(self, file_obj: Any, offset: int, size: int) -> bytes:
        return bytes(file_obj.content[offset : offset + size])

    def write(self, file_obj: Any, offset: int, data: bytes) -> int:
        file_obj.content[offset : offset + len(data)] = data
        return len(data)

    def close(self, file_obj: Any) -> None:
        if file_obj.writes:
            self._files.write(file_obj.path, bytes(file_obj.content))

    def stat(self, path: bytes) -> asyncssh.SFTPAttrs:
        name = _windows(path)
        kind = self._files.kind(name)
        if kind not in _KIND:
            raise asyncssh.SFTPNoSuchFile(f"no {name}")
        size = self._files.size(name) if kind is PathKind.FILE else 0
        return asyncssh.SFTPAttrs(type=_KIND[kind], size=size, permissions=_MODE[kind])

    lstat = stat

    def fstat(self, file_obj: Any) -> asyncssh.SFTPAttrs:
        return asyncssh.SFTPAttrs(
            type=_KIND[PathKind.FILE],
            size=len(file_obj.content),
            permissions=_MODE[PathKind.FILE],
        )

    def listdir(self, path: bytes) -> list[bytes]:
        self.stat(path)
        return [name.encode() for name in self._files.entries(_windows(path))]

    def mkdir(self, path: bytes, attrs: Any) -> None:
        del attrs
        self._files.make_directory(_windows(path))

    def rmdir(self, path: bytes) -> None:
        self._files.remove_tree(_windows(path))

    def remove(self, path: bytes) -> None:
        self._files.remove(_windows(path))

    def posix_rename(self, oldpath: bytes, newpath: bytes) -> None:
        # OpenSSH moves no program aside that runs.
        self._disk.rename(_windows(oldpath), _windows(newpath))

    def realpath(self, path: bytes) -> bytes:
        return path


@dataclass
class Door:
    """One host's SSH server, and what was noticed at it.

    `shell` is what sshd hands commands to: cmd, powershell or bash.
    A host takes `answers_after_s` for a command, as Windows would with its own processor. With `repeats`
    the answer to a request that it had before is the one it gave then, so that many hosts cost little.
    """

    machine: Machine
    address: str
    shell: str = "cmd"
    answers_after_s: float = 0.0
    repeats: bool = False
    connections: int = 0
    commands: int = 0
    bytes_in: int = 0
    port: int = 0
    last: tuple[str, bytes] = ("", b"")
    _said: dict[tuple[str, bytes], Completed] = field(default_factory=dict)

    async def listen(self, host_key: asyncssh.SSHKey, authorized: Any) -> asyncssh.SSHAcceptor:
        """Open the door."""
        listener = await asyncssh.listen(
            self.address,
            0,
            server_factory=lambda: _Gate(self),
            server_host_keys=[host_key],
            authorized_client_keys=authorized,
            process_factory=self._serve,
            sftp_factory=lambda channel: _Files(channel, self.machine),
            kex_algs=_KEX,
            encoding=None,
        )
        self.port = listener.get_port()
        return listener

    async def _serve(self, process: Any) -> None:
        # The node program's input is read to its end; clients of other commands may keep it open.
        patience_s = None if "node.pyz" in process.command else 0.5
        stdin = b""
        with suppress(TimeoutError):
            stdin = await asyncio.wait_for(process.stdin.read(), patience_s)
        done = await self.answer(process.command, stdin)
        process.stdout.write(done.stdout)
        process.stderr.write(done.stderr)
        process.exit(done.code)

    async def answer(self, command: str, stdin: bytes) -> Completed:
        """What a command says; a test may put something in its place."""
        self.commands += 1
        await asyncio.sleep(self.answers_after_s)
        key = self.last = (command, stdin)
        done = self._said.get(key) if self.repeats else None
        if done is None:
            done = await self._run(command, stdin)
            if self.repeats:
                self._said[key] = done
        return done

    async def _run(self, line: str, stdin: bytes) -> Completed:
        """The line as the host's shell reads it; what PowerShell itself is asked for, it says first."""
        try:
            words = _read_by(self.shell, line)
        except windows_shells.MisreadError as error:
            return Completed(1, b"", f"{error}\r\n".encode())
        script = powershell.decoded(words)
        said = b""
        if script is not None and script.startswith(WHICH.strip()):
            said = b"shell 1 \r\n" if self.shell == "bash" else b"shell  \r\n"
            words = powershell.command(script.removeprefix(WHICH.strip()))
        if script == WHICH.strip():
            return Completed(0, said, b"")
        done = await Session(self.machine).run(words, stdin=stdin, timeout_s=60)
        # `powershell -c` makes 1 of every exit code but 0.
        code = min(done.code, 1) if self.shell == "powershell" else done.code
        return Completed(code, said + done.stdout, done.stderr)


def _read_by(shell: str, line: str) -> tuple[str, ...]:
    if shell != "bash":
        return windows_shells.SHELLS[shell](line)
    words = shlex.split(line)
    while "=" in words[0]:
        del words[0]
    return (words[0].replace("/", "\\"), *words[1:])


class _Gate(asyncssh.SSHServer):
    """Counts who comes, and what they sent when they leave."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._connection: Any = None

    def connection_made(self, conn: Any) -> None:
        self._door.connections += 1
        transport = conn._transport
        received = conn.data_received

        def count(data: bytes, datatype: Any = None) -> None:
            self._door.bytes_in += len(data)
            received(data, datatype)

        conn.data_received = count
        if self._door.machine.is_away:
            transport.abort()


class SshHosts:
    """Doors to machines, opened in a thread of their own; `text` is the fleet that names them."""

    def __init__(self, machines: Mapping[str, Machine], folder: Path) -> None:
        self._host_key = asyncssh.generate_private_key("ssh-ed25519")
        self._client_key = asyncssh.generate_private_key("ssh-ed25519")
        self.key_file = folder / "id_ed25519"
        self._client_key.write_private_key(self.key_file)
        self.key_file.chmod(0o600)
        self.doors = {
            name: Door(machine, f"127.0.{1 + number // 250}.{1 + number % 250}")
            for number, (name, machine) in enumerate(machines.items())
        }

    @property
    def host_key(self) -> str:
        """The public key of them all."""
        return self._host_key.export_public_key().decode().strip()

    def text(self, plain: str) -> str:
        """A fleet's document whose hosts are reached at these doors."""
        for name, door in self.doors.items():
            way = (
                f"{{host: {door.address}, port: {door.port}, user: {_USER}, "
                f'hostKey: "{self.host_key}", credential: {{file: {self.key_file}}}}}'
            )
            plain = plain.replace(
                f"{{name: {name},", f"{{name: {name}, connection: {{ssh: {way}}},"
            )
        return plain

    @contextmanager
    def open(self) -> Iterator[None]:
        """Serve while the block runs."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()
        authorized = asyncssh.import_authorized_keys(self._client_key.export_public_key().decode())

        async def listen() -> list[asyncssh.SSHAcceptor]:
            return [await door.listen(self._host_key, authorized) for door in self.doors.values()]

        listeners = asyncio.run_coroutine_threadsafe(listen(), loop).result(60)
        try:
            yield
        finally:
            asyncio.run_coroutine_threadsafe(_end(listeners), loop).result(60)
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


async def _end(listeners: Iterable[asyncssh.SSHAcceptor]) -> None:
    for listener in listeners:
        listener.close()
        await listener.wait_closed()
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)


def _windows(path: bytes) -> str:
    return path.decode().lstrip("/").replace("/", "\\")
