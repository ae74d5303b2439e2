"""`transom apply`: the hosts of a fleet become Ready nodes; a second time changes nothing."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli import fleet_access, fleet_report
from transom.cli.fleet_lines import FleetLines
from transom.cli.plan_text import plan_lines
from transom.errors import Refused, UsageError

if TYPE_CHECKING:
    from transom.fleet.plan import FleetPlan
    from transom.fleet.survey import Surveyed

SUMMARY = "Bring every host of a fleet to its recipe and into the cluster; shows the plan and asks."

_EXAMPLES = """\
examples:
  transom apply
  transom apply -f fleet.yaml --pool web --yes
  transom apply -f fleet.yaml --yes -o json --junit result.xml

What disturbs pods of a node goes in waves: cordon, drain, change, Ready, uncordon.
Ctrl-C: hosts finish the step they are at, no more are begun, and a second apply goes on.
exit codes: 0 done, 2 usage or not confirmed, 3 refused, 4 try again (unreachable, a reboot first,
not Ready yet), 5 a host failed and was undone; the worst of all hosts
"""


def configure(parser: ArgumentParser) -> None:
    """Add the fleet, the confirmation and the forms."""
    parser.epilog = _EXAMPLES
    fleet_access.add_arguments(parser)
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--no-approve",
        action="store_true",
        help="leave serving certificates that joining nodes ask for to somebody else",
    )
    parser.add_argument("--junit", metavar="FILE", help="write the result as JUnit XML too")
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def run(args: Namespace) -> int:
    """Plan, ask, do, and sum up."""
    site = fleet_access.open_site(args)
    lines = FleetLines(len(site.hosts))

    async def applying() -> None:
        from transom.fleet.apply import Applying, apply_plan
        from transom.fleet.survey import survey_fleet

        surveyed = await survey_fleet(site.fleet, site.lock, site.doors, hosts=site.hosts)
        _agree(surveyed, args)
        work = Applying(
            surveyed=surveyed, doors=site.doors, watcher=lines, approve=not args.no_approve
        )
        await apply_plan(work)

    try:
        fleet_access.within(site, applying)
    except KeyboardInterrupt:
        lines.end()
        _interrupted(lines, args)
        raise
    finally:
        lines.end()
    return finish(args, lines, site.fleet.name)


def finish(args: Namespace, lines: FleetLines, fleet: str) -> int:
    """Print what came of the hosts, in their order, and the code that sums it up."""
    results = sorted(lines.results.values(), key=lambda applied: applied.host)
    fleet_report.print_result(
        results, fleet=fleet, verb="apply", output=args.output, elapsed_s=lines.elapsed_s
    )
    if args.junit:
        path = Path(args.junit)
        fleet_report.write_junit(path, results, fleet=fleet, elapsed_s=lines.elapsed_s)
    return fleet_report.exit_code(results)


def _agree(surveyed: "Surveyed", args: Namespace) -> None:
    """Show what would be done; go on only where that can work and is wanted."""
    from transom.fleet.plan import Standing

    plan: FleetPlan = surveyed.plan
    if plan.checked.refusals:
        raise Refused(plan.checked.refusals, subject=f"fleet {plan.fleet.name}")
    stream = sys.stderr if args.output == "json" else sys.stdout
    for line in plan_lines(plan):
        print(line, file=stream, flush=True)
    if not plan.standing(Standing.CHANGES) or args.yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(
            "these changes must be confirmed", hint="add --yes where nobody can be asked"
        )
    print("\nDo this? (yes/no) ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() != "yes":
        raise UsageError("not confirmed; nothing was changed")


def _interrupted(lines: FleetLines, args: Namespace) -> None:
    done = [name for name, applied in lines.results.items() if applied.error is None]
    print(
        "interrupted: hosts finish the step they are at and stop there; no more were begun\n"
        f"  done:            {', '.join(sorted(done)) or 'none'}\n"
        f"  to go on:        transom apply -f {args.filename}\n"
        f"  to take it back: transom reset -f {args.filename} --host NAME",
        file=sys.stderr,
    )
