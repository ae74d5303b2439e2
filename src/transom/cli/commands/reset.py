"""`transom reset`: what Transom did to machines is undone, and their Nodes deleted."""

import sys
from argparse import ArgumentParser, Namespace
from functools import partial
from typing import TYPE_CHECKING

from transom.cli.commands import join
from transom.cli.options import fleet_access, fleet_change, host_access
from transom.cli.output import console
from transom.cli.output.fleet_lines import FleetLines
from transom.documents.nodes import ResetResult
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.model.answers import Leftover
    from transom.site.one_host import WasReset

SUMMARY = "Undo a join: machines are as they were before Transom, and their Nodes are gone."

_EXAMPLES = """\
examples:
  transom reset -f fleet.yaml --host win-01
  transom reset -f fleet.yaml --all
  transom reset 10.0.0.21 --yes -o json
  transom reset 10.0.0.21 --force       a node that somebody else made, or without its journal

Nodes are drained first, unless --no-drain. A pod without a controller, or with emptyDir data that the
fleet does not let go, stops a reset before anything is changed.
exit codes: 0 done, 2 usage or not confirmed, 3 the host is of another fleet, 4 try again, 5 failed
"""


def configure(parser: ArgumentParser) -> None:
    """Add the hosts, the cluster and the confirmation."""
    parser.epilog = _EXAMPLES
    host_access.add_arguments(parser, optional=True)
    fleet_access.add_selection_arguments(parser)
    parser.add_argument("--all", action="store_true", help="every host of the fleet")
    fleet_access.add_host_arguments(parser)
    join.add_artifact_arguments(parser)
    parser.add_argument("--no-drain", action="store_true", help="do not wait for pods to leave")
    parser.add_argument(
        "--force",
        action="store_true",
        help="one machine: also what looks like a node's and is in no journal; it is listed first",
    )
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")


def run(args: Namespace) -> int:
    """Ask, reset, and print what came of it."""
    chosen = bool(args.host or args.pool or args.all)
    if bool(args.address) == chosen:
        raise UsageError(
            "name either one machine by its ADDRESS, or hosts of a fleet",
            hint="--host NAME, --pool NAME or --all, with -f",
        )
    if args.all and (args.host or args.pool):
        raise UsageError("--all is every host of the fleet", hint="leave it or the others out")
    return _reset_fleet(args) if chosen else _reset_one(args)


def _reset_fleet(args: Namespace) -> int:
    from transom.fleet.reset import reset_fleet

    site = fleet_access.open_site(args)
    if not args.yes:
        _confirm_fleet(site.fleet.name, site.hosts)

    async def doing(lines: FleetLines) -> None:
        await reset_fleet(
            site.fleet, site.hosts, site.doors, watcher=lines, drains=not args.no_drain
        )

    return fleet_change.watched(args, site, doing, name="reset")


def _confirm_fleet(fleet: str, hosts: tuple[str, ...]) -> None:
    if not sys.stdin.isatty():
        raise UsageError(
            f"not confirmed, and nobody can be asked: reset {', '.join(hosts)}", hint="add --yes"
        )
    print(f"This undoes everything Transom did to {', '.join(hosts)} and deletes their Nodes.")
    print(f"Type the fleet's name, {fleet}, to go on: ", end="", flush=True)
    if sys.stdin.readline().strip() != fleet:
        raise UsageError("not confirmed; nothing was changed")


def _reset_one(args: Namespace) -> int:
    from transom.cli.options import one_machine
    from transom.site import one_host

    if not (args.yes or args.force):
        _confirm(args.address)
    lines = FleetLines(1)
    one = one_machine.open_machine(args, lines)
    confirm = partial(_confirm_leftovers, args, lines) if args.force else None
    said = (
        "interrupted: the host finishes the step it is at and stops there",
        f"to go on: transom reset {args.address}",
    )
    done = one_machine.see_to(
        one,
        lines,
        lambda one: one_host.reset(one, drains=not args.no_drain, confirm=confirm),
        said=said,
    )
    _print(done, args.output, lines.elapsed_s)
    return 0


def _confirm_leftovers(args: Namespace, lines: FleetLines, items: "tuple[Leftover, ...]") -> None:
    """Show everything that a reset with force would take, and ask."""
    lines.end()
    print(f"A reset of {args.address} with force takes, for good:", file=sys.stderr)
    for item in items:
        print(f"  {item.kind:<18} {item.subject}  ({item.why})", file=sys.stderr)
    if not items:
        print("  nothing beyond what its journal has", file=sys.stderr)
    if not args.yes:
        _confirm(args.address)


def _confirm(address: str) -> None:
    if not sys.stdin.isatty():
        raise UsageError(
            f"a reset of {address} must be confirmed", hint="add --yes where nobody can be asked"
        )
    print(f"Undo everything Transom did to {address} and delete its Node? (yes/no) ", end="")
    if input().strip().lower() != "yes":
        raise UsageError("not confirmed; nothing was changed")


def _print(done: "WasReset", output: str, elapsed_s: float) -> None:
    if output == "json":
        console.print_json(
            ResetResult(
                node=done.name,
                undone=done.undone,
                node_deleted=done.node_deleted,
                elapsed_ms=round(elapsed_s * 1000),
            )
        )
    elif not done.was_there:
        print(f"{done.name} has nothing of Transom; nothing was changed")
    else:
        gone = "its Node is deleted" if done.node_deleted else "it had no Node"
        gone = "it is a node as it was found when it was adopted" if done.given_back else gone
        print(f"{done.name} is reset: {len(done.undone)} steps undone, {gone}; {elapsed_s:.1f} s")
