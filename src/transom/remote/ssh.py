"""The SSH door: a connection to a Windows host whose key is known, commands, and SFTP.

Called by the command line. A host key is pinned, in known_hosts, or shown to
the person and confirmed: never taken on trust. Everything has a deadline, and every failure of the
SSH library becomes an error of `transom.errors` here.
"""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

import asyncssh

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.remote.session import Completed, Parcel
from transom.remote.ssh_config import resolved
from transom.remote.target import Target

_CONNECT_S = 20.0
_LOGIN_S = 60.0
_FILE_S = 300.0
_CHUNK = 1 << 20
_KEEPALIVE_S = 15
_PLAIN_WORD = re.compile(r"[\w:\\./()*,+=-]+")
_PART = ".part"
_FINGERPRINT = "SHA256:"
# No others are spoken: those done in one call of the crypto library first.
_CIPHERS = "aes256-gcm@openssh.com,aes128-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-ctr"


class Person(Protocol):
    """Who can be asked; where nobody can, the answers are no and nothing."""

    def trusts(self, host: str, algorithm: str, fingerprint: str) -> bool:
        """Whether the host may be taken for the one that is meant."""
        ...

    def password(self, host: str, user: str) -> str | None:
        """The user's password on that host."""
        ...


@dataclass
class _Client(asyncssh.SSHClient):
    """Answers the library's questions during one connection."""

    target: Target
    person: Person
    known_hosts: Path
    changed: bool = False
    asked: bool = field(default=False, init=False)
    refused: str = field(default="", init=False)

    def validate_host_public_key(
        self, host: str, addr: str, port: int, key: asyncssh.SSHKey
    ) -> bool:
        del host, addr, port
        self.refused = key.get_fingerprint()
        if self.target.host_key is not None:
            return self.refused == self.target.host_key.rstrip("=")
        if self.changed:
            return False
        algorithm = key.get_algorithm()
        if not self.person.trusts(self.target.name, algorithm, self.refused):
            return False
        _remember(self.known_hosts, self.target.name, key)
        self.refused = ""
        return True

    def password_auth_requested(self) -> str | None:
        if self.asked:
            return None
        self.asked = True
        if self.target.password is not None:
            return self.target.password
        return self.person.password(self.target.name, self.target.user or "")


async def connect(
    target: Target, person: Person, *, known_hosts: Path, config: Path
) -> "SshSession":
    """Open a connection, through the jump hosts where there are any."""
    target = resolved(target, config)
    opened: list[asyncssh.SSHClientConnection] = []
    try:
        for hop in target.hops:
            before = opened[-1] if opened else None
            opened.append(await _open(hop, person, known_hosts, tunnel=before))
    except BaseException:
        for connection in reversed(opened):
            connection.close()
        raise
    return SshSession(opened, target.name)


async def _open(
    target: Target,
    person: Person,
    known_hosts: Path,
    *,
    tunnel: asyncssh.SSHClientConnection | None,
) -> asyncssh.SSHClientConnection:
    trusted = _trusted(target, known_hosts)
    client = _Client(target, person, known_hosts, changed=bool(trusted.keys))
    options: dict[str, object] = {}
    if target.password is not None:
        options = {"client_keys": None, "agent_path": None}
    elif target.key_text is not None:
        options = {"client_keys": [_key_of(target.key_text, target.name)], "agent_path": None}
    elif target.key_files:
        options = {"client_keys": [_key(file) for file in target.key_files], "agent_path": None}
    try:
        async with asyncio.timeout(_CONNECT_S + _LOGIN_S):
            return await asyncssh.connect(
                target.host,
                target.port or (),
                tunnel=tunnel if tunnel is not None else (),
                username=target.user,
                known_hosts=(trusted.keys, trusted.authorities, trusted.revoked),
                client_factory=lambda: client,
                connect_timeout=_CONNECT_S,
                login_timeout=_LOGIN_S,
                keepalive_interval=_KEEPALIVE_S,
                encryption_algs=_CIPHERS,
                config=None,
                **options,
            )
    except asyncssh.HostKeyNotVerifiable as error:
        raise _untrusted(target, client, error.reason) from error
    except asyncssh.PermissionDenied as error:
        raise PermanentError(
            f"{target.name} lets {target.user} in neither by key nor by password",
            subject=target.name,
            hint="name the key with --key; for an administrator Windows reads keys from"
            r" C:\ProgramData\ssh\administrators_authorized_keys",
        ) from error
    except (OSError, TimeoutError, asyncssh.Error) as error:
        raise TemporaryError(
            f"cannot reach {target.name} by SSH: {_said(error)}",
            subject=target.name,
            hint="check the address, that the service sshd runs there, and the way to its port",
        ) from error


class SshSession:
    """A connection in use; see `remote.session.Session`."""

    def __init__(self, hops: Sequence[asyncssh.SSHClientConnection], name: str) -> None:
        self._hops = tuple(hops)
        self._connection = self._hops[-1]
        self._name = name
        self._files: asyncssh.SFTPClient | None = None

    async def run(
        self,
        command: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout_s: float,
        on_line: Callable[[bytes], None] | None = None,
    ) -> Completed:
        """Run a command of plain words, so that it reads the same in cmd and PowerShell."""
        unsafe = [word for word in command if _PLAIN_WORD.fullmatch(word) is None]
        if unsafe:
            raise UsageError(f"{unsafe[0]!r} cannot be part of a command on a host")
        with self._translated("run a command"):
            async with asyncio.timeout(timeout_s):
                return await self._run(" ".join(command), stdin, on_line)

    async def _run(
        self, command: str, stdin: bytes, on_line: Callable[[bytes], None] | None
    ) -> Completed:
        process = await self._connection.create_process(command, encoding=None)
        stderr = asyncio.create_task(process.stderr.read())
        try:
            process.stdin.write(stdin)
            process.stdin.write_eof()
            stdout = bytearray()
            while line := await process.stdout.readline():
                stdout += line
                if on_line is not None:
                    on_line(line)
            said = await stderr
            await process.wait_closed()
        finally:
            process.close()
            stderr.cancel()
            await asyncio.gather(stderr, return_exceptions=True)
        if process.exit_status is None or process.exit_status < 0:
            raise self._lost()
        return Completed(process.exit_status, bytes(stdout), said)

    async def read(self, path: str) -> bytes | None:
        """Read a file whole."""
        async with self._sftp("read", path) as files:
            try:
                async with files.open(_remote(path), "rb") as stream:
                    return _bytes(await stream.read())
            except (asyncssh.SFTPNoSuchFile, asyncssh.SFTPNoSuchPath):
                return None

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

    async def remove_tree(self, path: str) -> None:
        """Remove a file or a directory with all that is in it."""
        async with self._sftp("remove", path) as files:
            remote = _remote(path)
            if await files.isdir(remote):
                await files.rmtree(remote)
            elif await files.exists(remote):
                await files.remove(remote)

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
                async with asyncio.timeout(_CONNECT_S):
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


class _Trusted(NamedTuple):
    """What is known of a host: its keys, authorities that may vouch for one, and keys to refuse."""

    keys: list[asyncssh.SSHKey]
    authorities: list[asyncssh.SSHKey]
    revoked: list[asyncssh.SSHKey]


def _trusted(target: Target, known_hosts: Path) -> _Trusted:
    if target.host_key is not None and target.host_key.startswith(_FINGERPRINT):
        return _Trusted([], [], [])
    if target.host_key is not None:
        try:
            return _Trusted([_public_key(target.host_key)], [], [])
        except asyncssh.KeyImportError as error:
            raise UsageError(
                "the host key given is no public key in OpenSSH's form",
                subject=target.name,
                hint="it looks like `ssh-ed25519 AAAA…`, as ssh-keyscan prints it",
            ) from error
    if not known_hosts.is_file():
        return _Trusted([], [], [])
    try:
        known = _known_hosts(known_hosts, known_hosts.stat().st_mtime_ns)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {known_hosts}", subject=str(known_hosts)) from error
    found = known.match(target.host, "", target.port)
    return _Trusted(list(found[0]), list(found[1]), list(found[2]))


@cache
def _public_key(text: str) -> asyncssh.SSHKey:
    return asyncssh.import_public_key(text)


@lru_cache(maxsize=1)
def _known_hosts(path: Path, changed_ns: int) -> asyncssh.SSHKnownHosts:
    """The file as it was then; a fleet's hosts all look into the same."""
    del changed_ns
    return asyncssh.read_known_hosts(str(path))


def _untrusted(target: Target, client: _Client, said: str) -> PermanentError:
    if "revoked" in said.lower():
        found, hint = "is revoked in known_hosts", "find out which machine answers there"
    elif target.host_key is not None:
        found, hint = "is not the one that was pinned", "find out which machine answers there"
    elif client.changed:
        found = "is not the one in known_hosts"
        hint = "if the machine was made anew, remove its old key with `ssh-keygen -R`"
    else:
        found = "is not known"
        hint = "pin it with --host-key, in a fleet with hostKey, or confirm it at a terminal"
    shown = f": it shows {client.refused}" if client.refused else ""
    return PermanentError(
        f"the host key of {target.name} {found}{shown}", subject=target.name, hint=hint
    )


def _remember(known_hosts: Path, name: str, key: asyncssh.SSHKey) -> None:
    line = f"{name} {key.export_public_key().decode().strip()}\n"
    try:
        known_hosts.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with known_hosts.open("a", encoding="utf-8") as stream:
            stream.write(line)
    except OSError as error:
        raise UsageError(
            f"cannot write the host's key to {known_hosts}", subject=str(known_hosts)
        ) from error


@cache
def _key(file: str) -> asyncssh.SSHKey:
    try:
        return asyncssh.read_private_key(Path(file).expanduser())
    except (OSError, asyncssh.KeyImportError) as error:
        raise UsageError(
            f"cannot use the key {file}",
            subject=file,
            hint="a key with a passphrase is used through the SSH agent: `ssh-add`",
        ) from error


def _key_of(text: str, name: str) -> asyncssh.SSHKey:
    try:
        return asyncssh.import_private_key(text)
    except asyncssh.KeyImportError as error:
        raise UsageError(f"the key for {name} is no private key", subject=name) from error


def _said(error: BaseException) -> str:
    return str(error) or ("no answer in time" if isinstance(error, TimeoutError) else "cut")
