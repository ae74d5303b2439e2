"""Which host keys are trusted: pinned ones, those of known_hosts, and what a person confirms.

No key is ever taken on trust.
"""

from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from transom.errors import PermanentError, UsageError
from transom.remote.ssh_library import asyncssh
from transom.remote.target import Target

_FINGERPRINT = "SHA256:"


class Trusted(NamedTuple):
    """What is known of a host: its keys, authorities that may vouch for one, and keys to refuse."""

    keys: list[asyncssh.SSHKey]
    authorities: list[asyncssh.SSHKey]
    revoked: list[asyncssh.SSHKey]


def trusted_keys(target: Target, known_hosts: Path) -> Trusted:
    """What the pinned key or known_hosts says of the host; nothing where neither knows it."""
    if target.host_keys:
        whole = [key for key in target.host_keys if not key.startswith(_FINGERPRINT)]
        try:
            return Trusted([_public_key(key) for key in whole], [], [])
        except asyncssh.KeyImportError as error:
            raise UsageError(
                "the host key given is no public key in OpenSSH's form",
                subject=target.name,
                hint="it looks like `ssh-ed25519 AAAA…`, as ssh-keyscan prints it",
            ) from error
    if not known_hosts.is_file():
        return Trusted([], [], [])
    try:
        known = _known_hosts(known_hosts, known_hosts.stat().st_mtime_ns)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {known_hosts}", subject=str(known_hosts)) from error
    found = known.match(target.host, "", target.port)
    return Trusted(list(found[0]), list(found[1]), list(found[2]))


@cache
def _public_key(text: str) -> asyncssh.SSHKey:
    return asyncssh.import_public_key(text)


@lru_cache(maxsize=1)
def _known_hosts(path: Path, changed_ns: int) -> asyncssh.SSHKnownHosts:
    """The file as it was then; a fleet's hosts all look into the same."""
    del changed_ns
    return asyncssh.read_known_hosts(str(path))


def untrusted(target: Target, *, shown: str, changed: bool, said: str) -> PermanentError:
    """Why the key that a host shows is refused, and what can be done."""
    if "revoked" in said.lower():
        found, hint = "is revoked in known_hosts", "find out which machine answers there"
    elif target.host_keys:
        found, hint = "is not the one that was pinned", "find out which machine answers there"
    elif changed:
        found = "is not the one in known_hosts"
        hint = "if the machine was made anew, remove its old key with `ssh-keygen -R`"
    else:
        found = "is not known"
        hint = (
            "pin it with --host-key or the sshHostKeys of a fleet's host, confirm it at a terminal, or trust the"
            " first that is shown with --accept-new-host-keys (fleets only)"
        )
    shows = f": it shows {shown}" if shown else ""
    return PermanentError(
        f"the host key of {target.name} {found}{shows}", subject=target.name, hint=hint
    )


def remember(known_hosts: Path, name: str, key: asyncssh.SSHKey) -> None:
    """Write a confirmed key down."""
    line = f"{name} {key.export_public_key().decode().strip()}\n"
    try:
        known_hosts.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with known_hosts.open("a", encoding="utf-8") as stream:
            stream.write(line)
    except OSError as error:
        raise UsageError(
            f"cannot write the host's key to {known_hosts}", subject=str(known_hosts)
        ) from error
