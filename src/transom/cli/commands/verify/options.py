"""What the verbs of `transom verify` ask alike: where results are kept, and how much of them is shown."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli.environment import environment
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.verify.grid import Look


def add_store_argument(parser: ArgumentParser) -> None:
    """Add where results are kept."""
    parser.add_argument(
        "--store",
        metavar="FILE",
        default="",
        help="the results; default: transom/results.db in your data folder",
    )


def store_path(named: str) -> Path:
    """Give the store that was named, or the one in the user's data folder."""
    here = environment()
    return here.path(named) if named else here.results


def add_look_arguments(parser: ArgumentParser) -> None:
    """Add how much is shown, and what counts as stale."""
    parser.add_argument("--title", default="Windows on Kubernetes: results")
    parser.add_argument("--runs", type=int, default=400, help="at most so many runs a tab")
    parser.add_argument(
        "--stale-days", type=int, default=7, help="without a run for so long a tab is STALE"
    )


def look_of(args: Namespace) -> "Look":
    """Give how much is shown, and what counts as stale."""
    from transom.verify.grid import Look

    if args.runs < 1 or args.stale_days < 1:
        raise UsageError("--runs and --stale-days are at least 1")
    return Look(most_runs=args.runs, stale_days=args.stale_days)
