"""`transom access`: a person's own way to a host of the fleet: a shell, its remote desktop, an SSH server where it has none."""

import asyncio
import shlex
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from transom.cli import console, fleet_access, fleet_file, host_access, host_ways, ssh_server
from transom.cli.credentials import Secrets
from transom.errors import TemporaryError
from transom.model.fleet import FromFile

if TYPE_CHECKING:
    from transom.model.fleet import Host
    from transom.remote.target import Target

SUMMARY = (
    "Reach a host of the fleet yourself: a shell, its remote desktop, or SSH where it has none."
)

_EXAMPLES = """\
examples:
  transom access ssh win-01
  transom access ssh win-01 --print           the plain ssh command, to use without Transom
  transom access rdp win-01                   then connect to localhost:5555
  transom access rdp win-01 --port 5556
  transom access install-ssh win-01           by WinRM: OpenSSH, your public key, and the host's key to pin
  transom access remove-ssh win-01            takes that back

Through the connection's jump host where it has one; host keys are checked: the fleet's, else known_hosts.
exit codes: 0 done, 2 usage or not confirmed, 4 unreachable, 5 refused by the host; `ssh` ends with ssh's own
"""
_DESKTOP = 3389
_LOCAL = 5555
_HIGHEST = 65535


def configure(parser: ArgumentParser) -> None:
    """Add the ways."""
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, summary in (
        ("ssh", "a shell on the host, by the system's ssh"),
        ("rdp", "its remote desktop on a port of this machine, until interrupted"),
    ):
        action = actions.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        action.add_argument("host", metavar="HOST", help="a host's name in the fleet")
        fleet_file.add_argument(action)
        action.add_argument("--fleet", metavar="NAME", help="which one, where there are several")
        action.add_argument(
            "--print", action="store_true", help="print the plain ssh command and do nothing"
        )
        if name == "ssh":
            action.add_argument(
                "command",
                nargs="*",
                default=[],  # else argparse calls it required
                metavar="COMMAND",
                help="run this instead of a shell; after --",
            )
        else:
            action.add_argument(
                "--port", type=_port, default=_LOCAL, help="of localhost (default: %(default)s)"
            )
    ssh_server.configure(actions)


def _port(text: str) -> int:
    port = int(text) if text.isdecimal() else -1
    if not 0 <= port <= _HIGHEST:
        raise ArgumentTypeError(f"{text!r} is no port; 0 takes a free one")
    return port


def run(args: Namespace) -> int:
    """Go there, or say how."""
    from transom.remote.plain_ssh import run_on_terminal, ssh_command
    from transom.remote.ssh_config import resolved

    host = fleet_access.one_host(args)
    if args.action in ssh_server.ACTIONS:
        return ssh_server.run(args, host)
    target = resolved(host_ways.place_of(host), host_access.ssh_files()[1])
    if args.action == "rdp" and not args.print:
        return _rdp(args, host, target)
    credential = host.connection.credential if host.connection else None
    if isinstance(credential, FromFile):
        target = replace(target, key_files=(credential.path,))
    if args.action == "rdp":
        through, desktop = _desktop(target)
        command = ssh_command(through, "-N", "-L", f"{args.port}:{desktop}:{_DESKTOP}")
    else:
        command = (*ssh_command(target), *args.command)
    if args.print:
        print(shlex.join(command))
        return 0
    return run_on_terminal(command)


def _desktop(target: "Target") -> "tuple[Target, str]":
    """Which SSH server carries the desktop, and where that server finds it."""
    return (target, "localhost") if target.jump is None else (target.jump, target.host)


def _rdp(args: Namespace, host: "Host", target: "Target") -> int:
    async def serve() -> None:
        through, desktop = _desktop(target)
        if through is target:
            through = await host_ways.with_secret(target, host, Secrets(None))
        session = await host_ways.open_ssh(through)
        try:
            port = await session.forward(args.port, desktop, _DESKTOP)
            console.note(f"localhost:{port} is the remote desktop of {host.name}; Ctrl-C ends it")
            await session.wait_cut(timeout_s=inf)
        finally:
            await session.close()
        raise TemporaryError(f"the session with {through.name} was cut", subject=through.name)

    with suppress(KeyboardInterrupt):
        asyncio.run(serve())
    return 0
