"""`transom reset ADDRESS`: what Transom did to one machine is undone, and its Node deleted."""

import asyncio
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli import console, host_access
from transom.cli.documents.nodes import ResetResult
from transom.cli.step_lines import StepLines
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.fleet.reset import WasReset

SUMMARY = "Undo a join: the machine is as it was before Transom, and its Node is gone."

_EXAMPLES = """\
examples:
  transom reset 10.0.0.21
  transom reset 10.0.0.21 --yes -o json

Pods on the node are not drained first: `kubectl drain` does that.
exit codes: 0 done, 2 usage or not confirmed, 4 try again, 5 failed
"""


def configure(parser: ArgumentParser) -> None:
    """Add the host, the cluster and the confirmation."""
    parser.epilog = _EXAMPLES
    host_access.add_arguments(parser)
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")


def run(args: Namespace) -> int:
    """Ask, reset, and print what came of it."""
    from transom.fleet.reset import reset_host
    from transom.model.fleet import Source

    wish = host_access.wish_of(args, Source())
    if not args.yes:
        _confirm(args.address)
    doors = host_access.doors_of(args)
    lines = StepLines()

    async def resetting() -> "WasReset":
        try:
            return await reset_host(wish, doors, watcher=lines)
        finally:
            await doors.api.close()

    try:
        done = asyncio.run(resetting())
    except KeyboardInterrupt:
        lines.end()
        print(
            "interrupted: the host finishes the step it is at and stops there\n"
            f"  to go on: transom reset {args.address}",
            file=sys.stderr,
        )
        raise
    finally:
        lines.end()
    _print(done, args.output, lines.elapsed_s)
    return 0


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
        print(f"{done.name} is reset: {len(done.undone)} steps undone, {gone}; {elapsed_s:.1f} s")
