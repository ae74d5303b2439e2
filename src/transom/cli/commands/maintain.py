"""`transom maintain`: a command on every node, wave by wave, with a reboot after it."""

import argparse
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from transom.cli.options import fleet_access, fleet_change
from transom.cli.output.plan_text import wave_lines

if TYPE_CHECKING:
    from transom.cli.output.fleet_lines import FleetLines
    from transom.fleet.maintain import MaintenancePlan

SUMMARY = "Run a command on nodes in waves: cordon, drain, command, reboot, Ready, uncordon."

_EXAMPLES = r"""
examples:
  transom maintain -f fleet.yaml --pool web -- C:\tools\patch.exe /quiet
  transom maintain -f fleet.yaml --yes
  transom maintain -f fleet.yaml --no-reboot -- C:\tools\scan.exe

Without a command Windows Update is run: every update that is offered and not hidden.
Nodes that were done today are left out, so that the same command goes on after a failure; --again.
Never more nodes of a pool are away than its rollout.maxUnavailable: NotReady and cordoned ones count.
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

    async def doing(lines: "FleetLines") -> None:
        from transom.fleet.on_host.windows_update import COMMAND
        from transom.site.fleet_change import MaintenanceWish, maintain_fleet

        wish = MaintenanceWish(
            command=tuple(args.command) or COMMAND,
            day=f"{datetime.now(UTC):%Y-%m-%d}",
            reboot=not args.no_reboot,
            again=args.again,
        )
        await maintain_fleet(site, wish, watcher=lines, agree=lambda plan: _agree(plan, args))

    return fleet_change.watched(args, site, doing, name="maintain")


def _agree(plan: "MaintenancePlan", args: argparse.Namespace) -> None:
    """Show what would be done to whom; go on only where that is wanted."""
    stream = sys.stderr if args.output == "json" else sys.stdout
    if plan.done:
        print(f"Done today already: {', '.join(plan.done)} (--again)", file=stream)
    for line in wave_lines(plan.waves, plan.away, plan.held_back):
        print(line, file=stream, flush=True)
    if plan.waves:
        said = " ".join(args.command) or "Windows Update"
        after = "" if args.no_reboot else ", with a reboot after it where the fleet allows that"
        fleet_change.confirm(args, f"Run {said} on {', '.join(plan.todo)}{after}?")
