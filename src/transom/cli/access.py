"""`transom access`: a person's own way to a host of the fleet: a shell, or its remote desktop."""

import asyncio
import shlex
import sys
from argparse import REMAINDER, ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli import fleet_access, fleet_file
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.remote.target import Target

SUMMARY = "Reach a host of the fleet yourself: a shell, or its remote desktop on localhost."

_EXAMPLES = """\
examples:
  transom access ssh win-01
  transom access ssh win-01 --print           the plain ssh command, to use without Transom
  transom access rdp win-01                   then connect to localhost:5555
  transom access rdp win-01 --port 5556

Through the connection's jump host where it has one; host keys are checked: the fleet's, else known_hosts.
exit codes: 0 done, 2 usage, 4 unreachable, 5 refused by the host; `ssh` ends with ssh's own
"""
_DESKTOP = 3389
_LOCAL = 5555


def configure(parser: ArgumentParser) -> None:
    """Add the two ways."""
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
            action.add_argument("command", nargs=REMAINDER, help="run this instead of a shell")
        else:
            action.add_argument(
                "--port", type=int, default=_LOCAL, help="of localhost (default: %(default)s)"
            )


def run(args: Namespace) -> int:
    """Go there, or say how."""
    from transom.cli.credentials import Secrets
    from transom.remote.plain_ssh import run_on_terminal, ssh_command
    from transom.remote.ssh_config import resolved

    fleet = fleet_access.one_fleet(args)
    host = next((host for host in fleet.hosts if host.name == args.host), None)
    if host is None:
        names = ", ".join(host.name for host in fleet.hosts)
        raise UsageError(f"fleet {fleet.name} has no host {args.host}", hint=f"it has {names}")
    config = Path("~/.ssh/config").expanduser()
    if args.action == "rdp" and not args.print:
        return _rdp(args, fleet_access.way_to(host, Secrets(None)))
    target = resolved(fleet_access.place_of(host), config)
    if args.action == "rdp":
        through, desktop = _desktop(target)
        command = ssh_command(through, "-N", "-L", f"{args.port}:{desktop}:{_DESKTOP}")
    else:
        words = args.command[1:] if args.command[:1] == ["--"] else args.command
        command = (*ssh_command(target), *words)
    if args.print:
        print(shlex.join(command))
        return 0
    return run_on_terminal(command)


def _desktop(target: "Target") -> "tuple[Target, str]":
    """Which SSH server carries the desktop, and where that server finds it."""
    return (target, "localhost") if target.jump is None else (target.jump, target.host)


def _rdp(args: Namespace, way: fleet_access.Way) -> int:
    async def serve() -> None:
        target = await way.target()
        through, desktop = _desktop(target)
        session = await way.open(through)
        try:
            port = await session.forward(args.port, desktop, _DESKTOP)
            print(
                f"localhost:{port} is the remote desktop of {args.host}; Ctrl-C ends it",
                file=sys.stderr,
                flush=True,
            )
            await session.wait_cut(timeout_s=float("inf"))
        finally:
            await session.close()

    try:
        asyncio.run(serve())
    except KeyboardInterrupt:
        return 0
    return 0
