"""One SSH connection: whose key is asked for, what is offered to get in, and how it is opened.

Called by the SSH door, hop by hop. Every failure of the SSH library becomes an error of `transom.errors`.
"""

import asyncio
import logging
from copy import copy
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Protocol, cast

import asyncssh
from asyncssh.logging import SSHLogger

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.remote.ssh_trust import remember, trusted_keys, untrusted
from transom.remote.target import SSH_PORT, Target

CONNECT_S = 20.0
_LOGIN_S = 60.0
_KEEPALIVE_S = 15
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
        remember(self.known_hosts, self.target.name, key)
        self.refused = ""
        return True

    def password_auth_requested(self) -> str | None:
        if self.asked:
            return None
        self.asked = True
        if self.target.password is not None:
            return self.target.password
        return self.person.password(self.target.name, self.target.user or "")


class _Quiet(SSHLogger):
    """Says nothing of the course of a connection, and does not make up the text for it either."""

    def get_child(self, child: str = "", context: str = "") -> "_Quiet":
        del child, context
        return self

    def log(self, level: int, msg: object, *args: Any, **kwargs: Any) -> None:
        if level >= logging.WARNING:
            super().log(level, msg, *args, **kwargs)


_QUIET = _Quiet(logging.getLogger("asyncssh"))


class _Connection(asyncssh.SSHClientConnection):
    """A connection of which no packet is written down."""

    @property
    def logger(self) -> SSHLogger:
        return _QUIET

    def log_sent_packet(self, *_: object) -> None:
        pass

    def log_received_packet(self, *_: object) -> None:
        pass


async def open_connection(
    target: Target,
    person: Person,
    *,
    known_hosts: Path,
    tunnel: asyncssh.SSHClientConnection | None,
) -> asyncssh.SSHClientConnection:
    """Open a connection to a target that says everything, from here or from the hop before it."""
    trusted = trusted_keys(target, known_hosts)
    client = _Client(target, person, known_hosts, changed=bool(trusted.keys))
    keys, asks_agent = _offered(target)
    options = copy(_options(target.user, keys, asks_agent=asks_agent))
    options.host, options.port = target.host, target.port or SSH_PORT
    options.known_hosts = (*trusted, (), (), (), ())
    options.protocol_factory = lambda: client
    options.client_keys = [copy(pair) for pair in options.client_keys or ()]
    try:
        return await _established(options, tunnel)
    except asyncssh.HostKeyNotVerifiable as error:
        raise untrusted(
            target, shown=client.refused, changed=client.changed, said=error.reason
        ) from error
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


async def _established(
    options: asyncssh.SSHClientConnectionOptions, tunnel: asyncssh.SSHClientConnection | None
) -> asyncssh.SSHClientConnection:
    """As `asyncssh.connect` does it, which would prepare options in a thread for every connection."""
    loop = asyncio.get_running_loop()
    options.waiter = loop.create_future()
    connection = _Connection(loop, options, wait="auth")
    try:
        async with asyncio.timeout(CONNECT_S):
            if tunnel is None:
                await loop.create_connection(lambda: connection, options.host, options.port)
            else:
                session = cast("asyncssh.SSHTCPSession[bytes]", connection)
                await tunnel.create_connection(lambda: session, options.host, options.port)
        async with asyncio.timeout(_LOGIN_S):
            await options.waiter
    except BaseException:
        connection.abort()
        raise
    return connection


def _offered(target: Target) -> tuple[tuple[asyncssh.SSHKey, ...], bool]:
    """The keys that get in, and whether the agent and the person's own keys are asked too.

    A password is given when it is asked for.
    """
    if target.password is not None:
        return (), False
    if target.key_text is not None:
        return (_key_of(target.key_text, target.name),), False
    return tuple(_key(file) for file in target.key_files), not target.key_files


@lru_cache(maxsize=8)
def _options(
    user: str | None, keys: tuple[asyncssh.SSHKey, ...], *, asks_agent: bool
) -> asyncssh.SSHClientConnectionOptions:
    """What connections of the same user have in common; preparing it takes longer than a handshake."""
    own = {} if asks_agent else {"client_keys": list(keys) or None, "agent_path": None}
    return asyncssh.SSHClientConnectionOptions(
        username=user,
        login_timeout=_LOGIN_S,
        keepalive_interval=_KEEPALIVE_S,
        encryption_algs=_CIPHERS,
        config=None,
        **own,
    )


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
