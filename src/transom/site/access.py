"""A user's own way to a host of a fleet: the plain ssh command, its remote desktop, an SSH server where it has none."""

import base64
import binascii
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from transom.errors import TemporaryError, UsageError
from transom.model.fleet import FromFile, Transport
from transom.site import hosts

if TYPE_CHECKING:
    from transom.fleet.on_host.ssh_server import SshSetup
    from transom.model.fleet import Connection, Host
    from transom.remote.ssh_connection import Person
    from transom.remote.target import Target
    from transom.site.credentials import Secrets
    from transom.site.environment import Environment

_T = TypeVar("_T")

USUAL_KEYS = ("id_ed25519.pub", "id_ecdsa.pub", "id_rsa.pub")
_SOURCE = re.compile(r"([A-Za-z]:\\|\\\\)[^<>\"|?*\n\r\t]+")
_DESKTOP = 3389


def ssh_command(host: "Host", environment: "Environment") -> tuple[str, ...]:
    """Give the plain ssh command that reaches a host."""
    from transom.remote import plain_ssh

    return plain_ssh.ssh_command(_with_key_file(_target(host, environment), host))


def desktop_command(host: "Host", environment: "Environment", *, port: int) -> tuple[str, ...]:
    """Give the plain ssh command that has a host's remote desktop on a port of this machine."""
    from transom.remote import plain_ssh

    through, desktop = _route(_with_key_file(_target(host, environment), host))
    return plain_ssh.ssh_command(through, "-N", "-L", f"{port}:{desktop}:{_DESKTOP}")


async def serve_desktop(
    host: "Host",
    secrets: "Secrets",
    environment: "Environment",
    person: "Person",
    *,
    port: int,
    is_open: Callable[[int], None],
) -> None:
    """Have a host's remote desktop on a port of this machine until cancelled; `is_open` is told which."""
    target = _target(host, environment)
    through, desktop = _route(target)
    if through is target:
        through = await hosts.with_secret(target, host, secrets)
    session = await hosts.open_ssh(through, environment, person)
    try:
        is_open(await session.forward(port, desktop, _DESKTOP))
        await session.wait_cut(timeout_s=inf)
    finally:
        await session.close()
    raise TemporaryError(f"the session with {through.name} was cut", subject=through.name)


def _target(host: "Host", environment: "Environment") -> "Target":
    from transom.remote.ssh_config import resolved

    return resolved(hosts.place_of(host), environment.ssh_config)


def _with_key_file(target: "Target", host: "Host") -> "Target":
    credential = host.connection.credential if host.connection else None
    if isinstance(credential, FromFile):
        return replace(target, key_files=(credential.path,))
    return target


def _route(target: "Target") -> "tuple[Target, str]":
    """Give the SSH server that carries the desktop, and where that server finds it."""
    return (target, "localhost") if target.jump is None else (target.jump, target.host)


async def with_ssh_setup(
    host: "Host",
    secrets: "Secrets",
    environment: "Environment",
    person: "Person",
    work: "Callable[[SshSetup], Awaitable[_T]]",
) -> _T:
    """Reach a host by WinRM and do something about its SSH server."""
    from transom.fleet.on_host.ssh_server import SshSetup
    from transom.fleet.turning import RealClock

    session = await hosts.connect_to(host, secrets, environment, person)()
    try:
        return await work(SshSetup(session, host.name, RealClock()))
    finally:
        await session.close()


def winrm_of(host: "Host", *, file: str) -> "Connection":
    """Give how WinRM reaches a host; refuse one that is reached otherwise."""
    way = host.connection
    if way is None or way.transport is not Transport.WINRM:
        raise UsageError(
            f"{host.name} is not reached by winrm in {file}",
            subject=host.name,
            hint="write how WinRM reaches it: connection: {type: WinRM, credentialName: ...}",
        )
    return way


def ssh_connection(way: "Connection") -> dict[str, object]:
    """Give what the fleet has to say for SSH."""
    found: dict[str, object] = {"host": way.host} if way.host else {}
    found["user"] = way.user or "Administrator"
    return found


def public_key_file(environment: "Environment", named: str | None) -> Path:
    """Give the named public key file, or the user's usual one."""
    if named:
        return environment.path(named)
    folder = environment.ssh
    found = next((folder / name for name in USUAL_KEYS if (folder / name).is_file()), None)
    if found is None:
        raise UsageError(
            f"there is no public key in {folder}",
            hint="name yours with --key, or make one with `ssh-keygen -t ed25519`",
        )
    return found


def read_public_key(file: Path) -> str:
    """Read the one key of a file in OpenSSH's form."""
    try:
        (line,) = file.read_text("utf-8").strip().splitlines()
        kind, blob, *_ = line.split()
        data = base64.b64decode(blob, validate=True)
        is_key = data[4 : 4 + int.from_bytes(data[:4])] == kind.encode()
    except OSError as error:
        raise UsageError(f"cannot read {file}", subject=str(file)) from error
    except (ValueError, binascii.Error):
        is_key = False
    if not is_key:
        raise UsageError(
            f"{file} is no public key in OpenSSH's form",
            subject=str(file),
            hint="it is one line, `ssh-ed25519 AAAA… you@machine`, in a file that ends with .pub",
        )
    return line


def refuse_source(source: str) -> None:
    """Refuse what Windows would not take for a folder of features."""
    if not _SOURCE.fullmatch(source):
        raise UsageError(
            f"{source!r} is no folder as Windows names one",
            subject="--source",
            hint=r"write D:\features or \\server\share",
        )
