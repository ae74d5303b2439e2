"""The doors to the hosts of a fleet, as its document describes them: SSH with keys and jump hosts, WinRM, or this machine.

Nothing is opened before it is needed.
"""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from transom.errors import UsageError
from transom.model.fleet import SecretType, Transport
from transom.site.credentials import is_key, password_of

if TYPE_CHECKING:
    from transom.fleet.on_host.run import Connect
    from transom.model.fleet import Connection, Host
    from transom.remote.ssh import SshSession
    from transom.remote.ssh_connection import Person
    from transom.remote.target import Target
    from transom.site.credentials import Secrets
    from transom.site.environment import Environment


def connect_to(
    host: "Host", secrets: "Secrets", environment: "Environment", person: "Person"
) -> "Connect":
    """Give the door to a host; it is not opened yet."""
    if host.connection is not None and host.connection.transport is Transport.WINRM:
        return _by_winrm(host, host.connection, secrets)
    if host.connection is not None and host.connection.transport is Transport.LOCAL:
        from transom.remote import local

        return partial(local.connect, host.name)
    place = place_of(host)

    async def open_session() -> "SshSession":
        return await open_ssh(await with_secret(place, host, secrets), environment, person)

    return open_session


def _by_winrm(host: "Host", way: "Connection", secrets: "Secrets") -> "Connect":
    from transom.remote.winrm import HTTPS_PORT, WinRmSession, WinRmTarget, connect

    user = way.user or "Administrator"

    async def open_session() -> WinRmSession:
        must_be_known(host)
        if way.credential is None:
            raise UsageError(
                f"{host.name} is reached by WinRM, which needs a password",
                subject=host.name,
                hint="name it in connection.credentialName, and say in the Client document where it is",
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


async def open_ssh(target: "Target", environment: "Environment", person: "Person") -> "SshSession":
    """Open a session with an SSH server that known_hosts or the user knows."""
    from transom.remote.ssh import connect

    return await connect(
        target, person, known_hosts=environment.known_hosts, config=environment.ssh_config
    )


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
        host_keys=way.host_keys,
        jump=parse_target(way.jump) if way.jump else None,
    )


def must_be_known(host: "Host") -> None:
    """A credential that the fleet names must be one that somebody says the place of."""
    way = host.connection
    if way is not None and way.credential_name is not None and way.credential is None:
        raise UsageError(
            f"nothing says where the credential {way.credential_name} of {host.name} is",
            subject=host.name,
            hint=f"add {{name: {way.credential_name}, file: ...}} to the credentials of a Client "
            "document: in the fleet's own files, by --client, or in ~/.config/transom/client.yaml",
        )


def _must_not_be_a_key(host: "Host") -> None:
    way = host.connection
    if way is not None and way.secret is SecretType.PRIVATE_KEY:
        raise UsageError(
            f"the credential {way.credential_name} of {host.name} is no private key, and its type says so",
            subject=host.name,
            hint="name a file that begins with `-----BEGIN `, or write type: Password",
        )


async def with_secret(target: "Target", host: "Host", secrets: "Secrets") -> "Target":
    """The target with the key or the password that the fleet leads to."""
    from transom.model.fleet import FromAgent, FromFile

    must_be_known(host)
    credential = host.connection.credential if host.connection else None
    if credential is None or isinstance(credential, FromAgent):
        return target
    of = f"{target.user or 'the user'} on the hosts"
    text = await secrets.value(credential, of=of)
    if not is_key(text):
        _must_not_be_a_key(host)
        return replace(target, password=password_of(text, of=of))
    if isinstance(credential, FromFile):
        return replace(target, key_files=(credential.path,))
    return replace(target, key_text=text + "\n")
