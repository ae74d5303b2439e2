"""The ways to the hosts of a fleet, as its document says them: by SSH with its keys and jump hosts, by WinRM, or none at all.

Used by the commands that reach hosts of a fleet. Nothing is opened before it is needed.
"""

import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from transom.cli import host_access
from transom.cli.credentials import is_key, password_of
from transom.errors import UsageError
from transom.model.fleet import Transport

if TYPE_CHECKING:
    from transom.cli.credentials import Secrets
    from transom.fleet.run import Connect
    from transom.model.fleet import Connection, Host
    from transom.remote.ssh import SshSession
    from transom.remote.target import Target


def connect_to(host: "Host", secrets: "Secrets", *, accept_new: bool = False) -> "Connect":
    """The way to a host; it is not taken yet."""
    if host.connection is not None and host.connection.transport is Transport.WINRM:
        return _by_winrm(host, host.connection, secrets)
    if host.connection is not None and host.connection.transport is Transport.LOCAL:
        from transom.remote import local

        return partial(local.connect, host.name)
    place = place_of(host)

    async def open_session() -> "SshSession":
        return await open_ssh(await with_secret(place, host, secrets), accept_new=accept_new)

    return open_session


def _by_winrm(host: "Host", way: "Connection", secrets: "Secrets") -> "Connect":
    from transom.remote.winrm import HTTPS_PORT, WinRmSession, WinRmTarget, connect

    user = way.user or "Administrator"

    async def open_session() -> WinRmSession:
        if way.credential is None:
            raise UsageError(
                f"{host.name} is reached by WinRM, which needs a password",
                subject=host.name,
                hint="name its place in connection.winrm.credential: env, command, prompt, file",
            )
        of = f"{user} on the hosts"
        place = WinRmTarget(
            host=way.host or host.address,
            port=way.port or HTTPS_PORT,
            user=user,
            password=password_of(await secrets.value(way.credential, of=of), of=of),
        )
        return await connect(place)

    return open_session


async def open_ssh(target: "Target", *, accept_new: bool = False) -> "SshSession":
    """A session with whoever answers there, known by known_hosts or by the person."""
    from transom.remote.ssh import connect

    person = _NewKeys() if accept_new else host_access.Terminal()
    known_hosts, config = host_access.ssh_files()
    return await connect(target, person, known_hosts=known_hosts, config=config)


def place_of(host: "Host") -> "Target":
    """Where its SSH server is, without any secret."""
    from transom.remote.target import parse_target

    way = host.connection
    if way is not None and way.transport is not Transport.SSH:
        raise UsageError(f"{host.name} is reached by {way.transport}, and this needs SSH")
    address = (way.host if way else None) or host.address
    target = parse_target(f"[{address}]" if ":" in address else address)
    if way is None:
        return target
    return replace(
        target,
        user=way.user,
        port=way.port,
        host_key=way.host_key,
        jump=parse_target(way.jump) if way.jump else None,
    )


async def with_secret(target: "Target", host: "Host", secrets: "Secrets") -> "Target":
    """The target with the key or the password that the fleet leads to."""
    from transom.model.fleet import FromAgent, FromFile

    credential = host.connection.credential if host.connection else None
    if credential is None or isinstance(credential, FromAgent):
        return target
    of = f"{target.user or 'the user'} on the hosts"
    text = await secrets.value(credential, of=of)
    if not is_key(text):
        return replace(target, password=password_of(text, of=of))
    if isinstance(credential, FromFile):
        return replace(target, key_files=(credential.path,))
    return replace(target, key_text=text + "\n")


class _NewKeys(host_access.Terminal):
    """The person, who has said that keys seen for the first time are to be written down."""

    def trusts(self, host: str, algorithm: str, fingerprint: str) -> bool:
        print(
            f"warning: {host} is seen for the first time; its {algorithm} key is written down: "
            f"{fingerprint}",
            file=sys.stderr,
        )
        return True
