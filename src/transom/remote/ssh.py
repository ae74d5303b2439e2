"""The SSH door: a connection to a Windows host whose key is known, commands, and SFTP.

A host key is pinned, in known_hosts, or shown to the person and confirmed: never taken on trust.
Everything has a deadline, and every failure of the SSH library becomes an error of `transom.errors`
here.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.remote import powershell
from transom.remote.session import MOST_READ, Completed, Parcel, must_be_bounded
from transom.remote.shells import WHICH, Shell, is_plain, line_of, told
from transom.remote.ssh_config import resolved
from transom.remote.ssh_connection import CONNECT_S, Person, open_connection
from transom.remote.ssh_library import asyncssh
from transom.remote.target import Target

_FILE_S = 300.0
_CHUNK = 1 << 20
_SHELL_S = 60.0
_PART = ".part"


async def connect(
    target: Target, person: Person, *, known_hosts: Path, config: Path
) -> "SshSession":
    """Open a connection, through the jump hosts where there are any."""
    target = resolved(target, config)
    opened: list[asyncssh.SSHClientConnection] = []
    try:
        for hop in target.hops:
            before = opened[-1] if opened else None
            opened.append(
                await open_connection(hop, person, known_hosts=known_hosts, tunnel=before)
            )
    except BaseException:
        for connection in reversed(opened):
            connection.close()
        raise
    return SshSession(opened, target.name)


class SshSession:
    """A connection in use; see `remote.session.Session`."""

    def __init__(self, hops: Sequence[asyncssh.SSHClientConnection], name: str) -> None:
        self._hops = tuple(hops)
        self._connection = self._hops[-1]
        self._name = name
        self._files: asyncssh.SFTPClient | None = None
        self._shell: Shell | None = None

    @property
    def peer(self) -> str:
        """Where the connection ends; behind a jump host only that one knows."""
        found = self._connection.get_extra_info("peername") if len(self._hops) == 1 else None
        return str(found[0]) if found else ""

    async def run(
        self,
        command: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout_s: float,
        on_line: Callable[[bytes], None] | None = None,
    ) -> Completed:
        """Run a command of plain words, in the form that the host's shell reads."""
        if self._shell is None and not is_plain(command):
            line_of(command, Shell.WINDOWS)  # nothing is asked for a command that no shell gets
            await self._find_shell()
        line = line_of(command, self._shell or Shell.WINDOWS)
        with self._translated("run a command"):
            async with asyncio.timeout(timeout_s):
                return await self._run(line, stdin, on_line)

    async def script(self, text: str, *, timeout_s: float) -> Completed:
        """Run a PowerShell script, which tells the host's shell on the way."""
        done = await self.run(powershell.command(WHICH + text), timeout_s=timeout_s)
        found, rest = told(done.stdout)
        self._shell = found or self._shell
        return Completed(done.code, rest, done.stderr)

    async def _find_shell(self) -> None:
        done = await self.script("", timeout_s=_SHELL_S)
        if self._shell is None:
            said = (done.stdout + done.stderr).decode(errors="replace").strip()[-500:]
            raise PermanentError(
                f"cannot run Windows PowerShell on {self._name}: exit code {done.code}, {said!r}",
                subject=self._name,
                hint="check that `powershell` runs there, over SSH and as this user",
            )

    async def _run(
        self, command: str, stdin: bytes, on_line: Callable[[bytes], None] | None
    ) -> Completed:
        said = _Said(self._name)
        channel, _ = await self._connection.create_session(lambda: said, command, encoding=None)
        try:
            channel.write(stdin)
            channel.write_eof()
            async for line in said.lines():
                if on_line is not None:
                    on_line(line)
        finally:
            channel.close()
        code = channel.get_exit_status()
        if code is None or code < 0:
            raise self._lost()
        return Completed(code, bytes(said.stdout), bytes(said.stderr))

    async def read(self, path: str) -> bytes | None:
        """Read a file whole."""
        async with self._sftp("read", path) as files:
            try:
                async with files.open(_remote(path), "rb") as stream:
                    content = _bytes(await stream.read(MOST_READ + 1))
            except (asyncssh.SFTPNoSuchFile, asyncssh.SFTPNoSuchPath):
                return None
        if len(content) > MOST_READ:
            raise PermanentError(
                f"{path} on {self._name} has more than {MOST_READ >> 20} MiB", subject=self._name
            )
        return content

    async def put(self, path: str, content: bytes) -> bool:
        """Write beside, read back, and rename: the file is whole or as it was."""
        wanted = hashlib.sha256(content).digest()
        async with self._sftp("write", path) as files:
            if await _digest(files, path, size=len(content)) == wanted:
                return False
            part = path + _PART
            async with files.open(_remote(part), "wb") as stream:
                await stream.write(content)
            if await _digest(files, part, size=len(content)) != wanted:
                raise await self._spoilt(files, path, len(content))
            await files.posix_rename(_remote(part), _remote(path))
            return True

    async def send(self, path: str, parcel: Parcel) -> bool:
        """Write beside, each piece under the deadline of its own, and rename."""
        async with self._sftp("compare", path) as files:
            if await _digest(files, path, size=parcel.size) == bytes.fromhex(parcel.sha256):
                return False
        part, clock = path + _PART, asyncio.get_running_loop()
        with self._translated(f"write {path}"):
            async with (
                asyncio.timeout(_FILE_S) as patience,
                files.open(_remote(part), "wb") as stream,
            ):
                for chunk in parcel.chunks():
                    await stream.write(chunk)
                    patience.reschedule(clock.time() + _FILE_S)
            async with asyncio.timeout(_FILE_S):
                await files.posix_rename(_remote(part), _remote(path))
        return True

    async def make_directory(self, path: str) -> bool:
        """Make one directory; the one above it must be there."""
        async with self._sftp("make", path) as files:
            if await files.isdir(_remote(path)):
                return False
            await files.mkdir(_remote(path))
            return True

    async def names(self, path: str) -> tuple[str, ...]:
        """List a directory."""
        async with self._sftp("list", path) as files:
            try:
                found = await files.listdir(_remote(path))
            except (asyncssh.SFTPNoSuchFile, asyncssh.SFTPNoSuchPath):
                return ()
            return tuple(sorted(str(name) for name in found if name not in (".", "..")))

    async def move(self, source: str, target: str) -> None:
        """Rename a file."""
        async with self._sftp("move", source) as files:
            await files.posix_rename(_remote(source), _remote(target))

    async def remove_tree(self, path: str) -> None:
        """Remove a file or a directory with all that is in it."""
        async with self._sftp("remove", path) as files:
            remote = _remote(path)
            if await files.isdir(remote):
                await files.rmtree(remote)
            elif await files.exists(remote):
                await files.remove(remote)

    async def remove_directory(self, path: str) -> bool:
        """Remove a directory only if nothing is in it."""
        async with self._sftp("remove", path) as files:
            try:
                await files.rmdir(_remote(path))
            except asyncssh.SFTPError:
                # Servers of the version that Windows has say no more than "failure".
                return not await files.exists(_remote(path))
            return True

    async def forward(self, port: int, host: str, host_port: int) -> int:
        """Have a port of this machine's loopback lead to a place that the other end reaches."""
        try:
            listener = await self._connection.forward_local_port("localhost", port, host, host_port)
        except OSError as error:
            raise UsageError(
                f"cannot listen on port {port} of this machine: {error.strerror}",
                subject=str(port),
                hint="name another with --port",
            ) from error
        return listener.get_port()

    async def wait_cut(self, *, timeout_s: float) -> None:
        """Wait for the connection's end."""
        with self._translated("end the session"):
            async with asyncio.timeout(timeout_s if timeout_s < float("inf") else None):
                await self._connection.wait_closed()

    async def close(self) -> None:
        """End the connection, and those to the jump hosts."""
        for connection in reversed(self._hops):
            connection.close()
            with suppress(OSError, TimeoutError, asyncssh.Error):
                async with asyncio.timeout(CONNECT_S):
                    await connection.wait_closed()

    async def _spoilt(self, files: asyncssh.SFTPClient, path: str, size: int) -> PermanentError:
        """Say what became of a file that was sent; servers may keep a full disk to themselves."""
        part = _remote(path + _PART)
        taken = await files.getsize(part) if await files.isfile(part) else 0
        if taken is not None and taken < size:
            return PermanentError(
                f"{self._name} took {taken} of {size} bytes of {path}",
                subject=self._name,
                hint="its disk is full, or a quota is: make room there",
            )
        return PermanentError(
            f"{path} on {self._name} is not what was sent",
            subject=self._name,
            hint="look for a virus scanner that changes files",
        )

    @asynccontextmanager
    async def _sftp(self, act: str, path: str) -> AsyncIterator[asyncssh.SFTPClient]:
        with self._translated(f"{act} {path}"):
            async with asyncio.timeout(_FILE_S):
                if self._files is None:
                    self._files = await self._connection.start_sftp_client()
                yield self._files

    @contextmanager
    def _translated(self, act: str) -> Iterator[None]:
        try:
            yield
        except (asyncssh.SFTPConnectionLost, asyncssh.SFTPNoConnection) as error:
            raise self._lost() from error
        except asyncssh.SFTPError as error:
            raise PermanentError(
                f"cannot {act} on {self._name}: {error.reason}",
                subject=self._name,
                hint="look whether its disk is full, and who may write there",
            ) from error
        except TimeoutError as error:
            raise TemporaryError(
                f"{self._name} did not {act} in time", subject=self._name
            ) from error
        except (OSError, asyncssh.Error) as error:
            raise self._lost() from error

    def _lost(self) -> TemporaryError:
        return TemporaryError(
            f"the session with {self._name} was cut",
            subject=self._name,
            hint="run the same command again: it goes on from what is there",
        )


class _Said(asyncssh.SSHClientSession[bytes]):
    """What a command says, until its channel is closed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.stdout, self.stderr = bytearray(), bytearray()
        self._news = asyncio.Event()
        self._ended = False
        self._lost: Exception | None = None

    async def lines(self) -> AsyncIterator[bytes]:
        """The lines of its standard output as they come, to the end; raise where it is cut off."""
        told = 0
        while not self._ended:
            await self._news.wait()
            self._news.clear()
            must_be_bounded(self._name, self.stdout, self.stderr)
            while end := self.stdout.find(b"\n", told) + 1:
                yield bytes(self.stdout[told:end])
                told = end
        if self._lost is not None:
            raise self._lost
        if told < len(self.stdout):
            yield bytes(self.stdout[told:])

    def data_received(self, data: bytes, datatype: int | None) -> None:
        (self.stdout if datatype is None else self.stderr).extend(data)
        self._news.set()

    def eof_received(self) -> bool:
        return True  # the exit status comes after it

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost, self._ended = exc, True
        self._news.set()


async def _digest(files: asyncssh.SFTPClient, path: str, *, size: int) -> bytes | None:
    remote = _remote(path)
    if not await files.isfile(remote) or await files.getsize(remote) != size:
        return None
    found = hashlib.sha256()
    async with files.open(remote, "rb") as stream:
        while chunk := _bytes(await stream.read(_CHUNK)):
            found.update(chunk)
    return found.digest()


def _bytes(content: str | bytes) -> bytes:
    assert isinstance(content, bytes)  # the file was opened as binary
    return content


def _remote(path: str) -> str:
    """A Windows path as OpenSSH's SFTP server wants it."""
    return "/" + path.replace("\\", "/")
