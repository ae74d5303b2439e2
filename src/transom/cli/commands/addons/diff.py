"""`transom addons diff`: what apply would change."""

from argparse import ArgumentParser, Namespace

from transom.cli.commands.addons import options

SUMMARY = "what apply would change; changes nothing"

_DIFFERENT = 1


def configure(parser: ArgumentParser) -> None:
    """Add the fleet, the cluster and the form."""
    options.add_rendered_arguments(parser)
    options.add_force_argument(parser)
    options.add_result_arguments(parser)


def run(args: Namespace) -> int:
    """Compare, and print the differences."""
    fleet = options.fleet_of(args)
    changes = options.rendered_in_cluster(args, fleet, lambda work: work.diff())
    options.print_changes(changes, fleet.name, output=args.output, done=False)
    return 0 if changes.is_empty else _DIFFERENT
