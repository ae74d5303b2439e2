"""`transom maintain`: a command on every node, wave by wave, with a reboot after it."""

import argparse
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from transom.cli import fleet_access, fleet_change
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.cli.fleet_lines import FleetLines

SUMMARY = "Run a command on nodes in waves: cordon, drain, command, reboot, Ready, uncordon."

_EXAMPLES = r"""
examples:
  transom maintain -f fleet.yaml --pool web -- C:\tools\patch.exe /quiet
  transom maintain -f fleet.yaml --yes
  transom maintain -f fleet.yaml --no-reboot -- C:\tools\scan.exe

Without a command Windows Update is run: every update that is offered and not hidden.
Nodes that were done today are left out, so that the same command goes on after a failure; --again.
Never more nodes of a pool are away than its upgrade.maxUnavailable: NotReady and cordoned ones count.
exit codes: 0 done, 2 usage or not confirmed, 3 the host's Windows is no longer the recipe's, 4 try
again (a pod that does not leave, not Ready yet, too many nodes away), 5 the command failed
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the fleet, the command and the confirmation."""
    parser.epilog = _EXAMPLES
    fleet_change.add_arguments(parser)
    parser.add_argument("--no-reboot", action="store_true", help="do not reboot afterwards")
    parser.add_argument("--again", action="store_true", help="also nodes that were done today")
    parser.add_argument(
        "command",
        nargs="*",
        metavar="COMMAND",
        help="what to run, after --: a program and its arguments, no shell (default: Windows Update)",
    )


def run(args: argparse.Namespace) -> int:
    """Ask, go through the waves, and sum up."""
    site = fleet_access.open_site(args)
    api = site.doors.api
    if api is None:
        raise UsageError("nodes cannot be drained without a kubeconfig")

    async def doing(lines: "FleetLines") -> None:
        from transom.fleet.maintain import Maintenance, maintain
        from transom.fleet.survey import survey_fleet
        from transom.fleet.windows_update import COMMAND

        surveyed = await survey_fleet(site.fleet, site.lock, site.doors, hosts=site.hosts)
        said = " ".join(args.command) or "Windows Update"
        fleet_change.confirm(args, f"Run {said} on {', '.join(site.hosts)}, wave by wave?")
        work = Maintenance(
            surveyed=surveyed,
            doors=site.doors,
            api=api,
            watcher=lines,
            command=tuple(args.command) or COMMAND,
            day=f"{datetime.now(UTC):%Y-%m-%d}",
            again=args.again,
            reboot=not args.no_reboot,
        )
        await maintain(work)

    return fleet_change.watched(args, site, doing, name="maintain")
