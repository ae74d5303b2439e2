"""Changing a fleet from the command line: show the plan, ask, do it, sum up.

The work itself is `site.fleet_change`.
"""

import asyncio
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli.options import fleet_access, host_access
from transom.cli.output import fleet_report
from transom.cli.output.fleet_lines import FleetLines
from transom.cli.output.plan_text import plan_lines
from transom.errors import UsageError
from transom.model.records import dataclass

if TYPE_CHECKING:
    from transom.fleet.planning.plan import FleetPlan
    from transom.model.request import Verb
    from transom.site.fleet_change import Site


@dataclass(frozen=True)
class FileEdit:
    """What is written into the fleet's file as soon as the plan is agreed to; `said` is that in words."""

    said: str
    write: Callable[[], None]


def add_either_arguments(parser: ArgumentParser) -> None:
    """One machine by its ADDRESS, or the fleet; then as for every change."""
    from transom.cli.commands import join

    host_access.add_arguments(parser, optional=True)
    join.add_artifact_arguments(parser)
    fleet_access.add_selection_arguments(parser)
    fleet_access.add_bundle_argument(fleet_access.add_host_arguments(parser))
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    parser.add_argument("--junit", metavar="FILE", help="write a fleet's result as JUnit XML too")


def is_one_machine(args: Namespace) -> bool:
    """Whether ADDRESS is meant, not the fleet; both are refused."""
    if args.address and (args.host or args.pool):
        raise UsageError(
            "name either one machine by its ADDRESS, or hosts of a fleet",
            hint="leave out the one or the other",
        )
    return bool(args.address)


def add_arguments(parser: ArgumentParser) -> None:
    """The fleet, the confirmation and the forms of the result."""
    fleet_access.add_arguments(parser)
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    parser.add_argument("--junit", metavar="FILE", help="write the result as JUnit XML too")
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def carry_out(
    args: Namespace,
    site: "Site",
    verb: "Verb",
    *,
    name: str,
    approve: bool = True,
    keep_going: bool = False,
    addons: bool = False,
    edit: FileEdit | None = None,
) -> int:
    """Plan with that verb, ask, and do what the plan says."""

    async def doing(lines: FleetLines) -> None:
        from transom.site.fleet_change import FleetChange, change_fleet

        fleet_access.tell_looking(site)
        change = FleetChange(
            verb=verb, name=name, approve=approve, keep_going=keep_going, addons=addons
        )

        def agreed(plan: "FleetPlan") -> None:
            agree(plan, args, edit)
            lines.addons = plan.addons.changes

        done = await change_fleet(site, change, watcher=lines, agree=agreed)
        lines.addons_error = done.error

    return watched(args, site, doing, name=name)


def watched(
    args: Namespace,
    site: "Site",
    doing: Callable[[FleetLines], Awaitable[None]],
    *,
    name: str,
) -> int:
    """Do something to the hosts with progress shown, and print what came of each."""
    junit = getattr(args, "junit", None)
    if junit and not Path(junit).parent.is_dir():
        raise UsageError(
            f"cannot write {junit}: there is no such folder",
            subject="--junit",
            hint="make it first",
        )
    lines = FleetLines(len(site.hosts))

    async def ticking() -> None:
        ticker = asyncio.create_task(lines.tick())
        try:
            await doing(lines)
        finally:
            ticker.cancel()

    try:
        fleet_access.within(site, ticking)
    except KeyboardInterrupt:
        lines.end()
        _interrupted(lines, args, name)
        raise
    finally:
        lines.end()
    results = sorted(lines.results.values(), key=lambda applied: applied.host)
    fleet, elapsed = site.fleet.name, lines.elapsed_s
    fleet_report.print_result(
        results,
        fleet=fleet,
        verb=name,
        output=args.output,
        elapsed_s=elapsed,
        addons=lines.addons,
        addons_error=lines.addons_error,
    )
    if junit:
        fleet_report.write_junit(Path(junit), results, fleet=fleet, elapsed_s=elapsed)
    return max(
        fleet_report.exit_code(results),
        lines.addons_error.exit_code if lines.addons_error is not None else 0,
    )


def agree(plan: "FleetPlan", args: Namespace, edit: FileEdit | None = None) -> None:
    """Show what would be done; go on only where that can work and is wanted.

    The fleet's file is edited where any host can be what it will say.
    """
    from transom.fleet.planning.plan import Standing

    stream = sys.stderr if args.output == "json" else sys.stdout
    for line in plan_lines(plan):
        print(line, file=stream, flush=True)
    if plan.not_begun is not None:
        raise plan.not_begun
    if edit is not None and plan.standing(Standing.CHANGES, Standing.UNCHANGED):
        confirm(args, f"Do this{_in_cluster(plan)}, and {edit.said}?")
        edit.write()
    elif plan.standing(Standing.CHANGES) or plan.addons.changes:
        confirm(args, f"Do this{_in_cluster(plan)}?")


def _in_cluster(plan: "FleetPlan") -> str:
    return f" in cluster {plan.cluster}" if plan.cluster else ""


def confirm(args: Namespace, question: str) -> None:
    """Take only a whole yes, from a person or by --yes."""
    if args.yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(f"not confirmed, and nobody can be asked: {question}", hint="add --yes")
    print(f"\n{question} (yes/no) ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() != "yes":
        raise UsageError("not confirmed; nothing was changed")


def _interrupted(lines: FleetLines, args: Namespace, name: str) -> None:
    done = [host for host, applied in lines.results.items() if applied.error is None]
    print(
        "interrupted: hosts finish the step they are at and stop there; no more were begun\n"
        f"  done:            {', '.join(sorted(done)) or 'none'}\n"
        f"  to go on:        transom {name} {args.filename.options}\n"
        f"  to take it back: transom reset {args.filename.options} --host NAME",
        file=sys.stderr,
    )
