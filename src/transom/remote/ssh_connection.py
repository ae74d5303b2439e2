"""One SSH connection: whose key is asked for, what is offered to get in, and how it is opened.

Every failure of the SSH library becomes an error of `transom.errors`.
"""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.remote.ssh_library import asyncssh
from transom.remote.ssh_trust import remember, trusted_keys, untrusted
from transom.remote.target import SSH_PORT, Target

CONNECT_S = 30.0
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
        if self.target.host_keys:
            return self.refused in {key.rstrip("=") for key in self.target.host_keys}
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
    try:
        return await asyncssh.connect(
            target.host,
            target.port or SSH_PORT,
            tunnel=tunnel,
            username=target.user,
            known_hosts=tuple(trusted),
            client_factory=lambda: client,
            connect_timeout=CONNECT_S,
            login_timeout=CONNECT_S,
            keepalive_interval=_KEEPALIVE_S,
            encryption_algs=_CIPHERS,
            config=None,
            **_offered(target),
        )
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


def _offered(target: Target) -> dict[str, Any]:
    """What gets in: a password when it is asked for, the keys that are named, else the agent and the person's own."""
    if target.password is not None:
        return {"client_keys": None, "agent_path": None}
    if target.key_text is not None:
        return {"client_keys": [_key_of(target.key_text, target.name)], "agent_path": None}
    if target.key_files:
        return {"client_keys": [_key(file) for file in target.key_files], "agent_path": None}
    return {}


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
