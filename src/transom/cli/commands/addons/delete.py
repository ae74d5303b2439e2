"""`transom addons delete`: what Transom made for the fleet is taken away."""

from argparse import ArgumentParser, Namespace

from transom.cli.commands.addons import options
from transom.cli.options import fleet_file

SUMMARY = "take away what Transom made for this fleet"

_NOT_DONE = 1


def configure(parser: ArgumentParser) -> None:
    """Add the fleet, the cluster and the confirmation."""
    fleet_file.add_argument(parser)
    parser.add_argument(
        "--yes", action="store_true", help="do it; without it only what would go is shown"
    )
    options.add_result_arguments(parser)


def run(args: Namespace) -> int:
    """Delete, or print what would go."""
    fleet = options.fleet_of(args)
    changes = options.in_cluster(
        args, fleet, lambda work: work.delete() if args.yes else work.owned()
    )
    options.print_changes(changes, fleet.name, output=args.output, done=args.yes)
    if changes.items and not args.yes:
        print("nothing was deleted: pods on these nodes lose Services and network; --yes does it")
        return _NOT_DONE
    return 0
