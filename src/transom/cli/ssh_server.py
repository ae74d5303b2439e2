"""`transom access install-ssh` and `remove-ssh`: an SSH server for a host of the fleet that WinRM reaches."""

import argparse
import asyncio
import base64
import binascii
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli import console, fleet_change, fleet_file, host_ways
from transom.cli.credentials import Secrets
from transom.errors import UsageError
from transom.model.fleet import Transport

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from transom.fleet.ssh_server import SshSetup
    from transom.model.fleet import Connection, Host

ACTIONS = ("install-ssh", "remove-ssh")
_USUAL_KEYS = ("id_ed25519.pub", "id_ecdsa.pub", "id_rsa.pub")
_SOURCE = re.compile(r"([A-Za-z]:\\|\\\\)[^<>\"|?*\n\r\t]+")


def configure(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the two actions."""
    for name, summary in (
        ("install-ssh", "OpenSSH on a host that WinRM reaches, with your public key let in"),
        ("remove-ssh", "take back what install-ssh did"),
    ):
        action = actions.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        action.add_argument("host", metavar="HOST", help="a host's name in the fleet")
        fleet_file.add_argument(action)
        action.add_argument("--fleet", metavar="NAME", help="which one, where there are several")
        action.add_argument("-y", "--yes", action="store_true", help="do not ask")
        if name == "install-ssh":
            action.add_argument(
                "--key",
                metavar="FILE",
                help=f"the public key to let in (default: ~/.ssh/{', '.join(_USUAL_KEYS)})",
            )
            action.add_argument(
                "--source",
                metavar="FOLDER",
                help="where the host finds Windows' optional features, instead of Windows Update",
            )


def run(args: argparse.Namespace, host: "Host") -> int:
    """Go there by WinRM, say what would change, ask, and do it."""
    way = host.connection
    if way is None or way.transport is not Transport.WINRM:
        raise UsageError(
            f"{host.name} is not reached by winrm in {args.filename}",
            subject=host.name,
            hint="write how WinRM reaches it: connection.winrm with user and credential",
        )
    if args.action == "remove-ssh":
        return asyncio.run(_within(host, lambda setup: _remove(args, host, setup)))
    file = _key_file(args.key)
    key = _public_key(file)
    if args.source and not _SOURCE.fullmatch(args.source):
        raise UsageError(
            f"{args.source!r} is no folder as Windows names one",
            subject="--source",
            hint=r"write D:\features or \\server\share",
        )
    pasted = _connection(way, file, is_usual=not args.key)
    return asyncio.run(_within(host, lambda setup: _install(args, host, setup, key, pasted)))


async def _within(host: "Host", act: "Callable[[SshSetup], Awaitable[int]]") -> int:
    from transom.fleet.run import RealClock
    from transom.fleet.ssh_server import SshSetup

    session = await host_ways.connect_to(host, Secrets(None))()
    try:
        return await act(SshSetup(session, host.name, RealClock()))
    finally:
        await session.close()


async def _install(
    args: argparse.Namespace, host: "Host", setup: "SshSetup", key: str, pasted: dict[str, object]
) -> int:
    state = await setup.look()
    changes = setup.changes(state, key)
    for change in changes:
        console.note(f"{host.name}: {change}")
    if changes:
        fleet_change.confirm(args, "Do this?")
    host_key = await setup.install(state, key, source=args.source or "")
    done = "has OpenSSH now" if changes else "has OpenSSH, and nothing was to be done"
    console.note(f"{host.name} {done}. To reach it so, write this in its place in {args.filename}:")
    way = {**pasted, "hostKey": host_key}
    print(f"connection: {{ssh: {json.dumps(way, ensure_ascii=False)}}}")
    return 0


async def _remove(args: argparse.Namespace, host: "Host", setup: "SshSetup") -> int:
    fleet_change.confirm(args, f"Take back what install-ssh did on {host.name}?")
    done = await setup.remove()
    said = "is as it was before install-ssh" if done else "has nothing of install-ssh"
    console.note(f"{host.name} {said}")
    return 0


def _connection(way: "Connection", file: Path, *, is_usual: bool) -> dict[str, object]:
    """What the fleet has to say for SSH; a key that ssh tries anyway needs no mention."""
    found: dict[str, object] = {"host": way.host} if way.host else {}
    found["user"] = way.user or "Administrator"
    private = file.with_suffix("")
    if not is_usual and private.is_file():
        found["credential"] = {"file": str(private)}
    return found


def _key_file(given: str | None) -> Path:
    if given:
        return Path(given).expanduser()
    folder = Path("~/.ssh").expanduser()
    found = next((folder / name for name in _USUAL_KEYS if (folder / name).is_file()), None)
    if found is None:
        raise UsageError(
            f"there is no public key in {folder}",
            hint="name yours with --key, or make one with `ssh-keygen -t ed25519`",
        )
    return found


def _public_key(file: Path) -> str:
    """The one key of a file in OpenSSH's form."""
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
