"""`transom maintain`: a command on every node, wave by wave, with a reboot after it."""

import argparse
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from transom.cli import fleet_access, fleet_change
from transom.cli.plan_text import wave_lines
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.cli.fleet_lines import FleetLines
    from transom.fleet.maintain import MaintenancePlan
    from transom.model.fleet import Fleet

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
        from transom.fleet.maintain import Maintenance, maintain, plan_maintenance
        from transom.fleet.survey import survey_fleet
        from transom.fleet.windows_update import COMMAND

        surveyed = await survey_fleet(site.fleet, site.lock, site.doors, hosts=site.hosts)
        day = f"{datetime.now(UTC):%Y-%m-%d}"
        nodes = await api.nodes()
        plan = plan_maintenance(surveyed.plan, nodes, day=day, again=args.again)
        _agree(plan, args, surveyed.plan.fleet)
        work = Maintenance(
            plan=plan,
            surveyed=surveyed,
            doors=site.doors,
            api=api,
            watcher=lines,
            command=tuple(args.command) or COMMAND,
            day=day,
            reboot=not args.no_reboot,
        )
        await maintain(work)

    return fleet_change.watched(args, site, doing, name="maintain")


def _agree(plan: "MaintenancePlan", args: argparse.Namespace, fleet: "Fleet") -> None:
    """Show what would be done to whom; go on only where that can work and is wanted."""
    from transom.fleet.waves import nothing_begun

    stream = sys.stderr if args.output == "json" else sys.stdout
    if plan.done:
        print(f"Done today already: {', '.join(plan.done)} (--again)", file=stream)
    for line in wave_lines(plan.waves, plan.away, plan.held_back):
        print(line, file=stream, flush=True)
    error = nothing_begun(fleet, plan.todo, plan.away)
    if error is not None and not plan.left:
        raise error
    if plan.todo:
        said = " ".join(args.command) or "Windows Update"
        after = "" if args.no_reboot else ", with a reboot after it where the fleet allows that"
        fleet_change.confirm(args, f"Run {said} on {', '.join(plan.todo)}{after}?")
