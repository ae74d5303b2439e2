"""`transom addons apply`: the cluster runs them."""

from argparse import ArgumentParser, Namespace

from transom.cli.commands.addons import options

SUMMARY = "have the cluster run them, and wait until it does"

_TIMEOUT_S = 300


def configure(parser: ArgumentParser) -> None:
    """Add the fleet, the cluster, how long to wait and the form."""
    parser.add_argument("--no-wait", action="store_true", help="do not wait for pods to run")
    parser.add_argument(
        "--timeout",
        type=int,
        default=_TIMEOUT_S,
        metavar="SECONDS",
        help="how long pods may take to run (default: %(default)s)",
    )
    options.add_rendered_arguments(parser)
    options.add_force_argument(parser)
    options.add_result_arguments(parser)


def run(args: Namespace) -> int:
    """Apply, wait, and print what changed."""
    fleet = options.fleet_of(args)
    wait_s = None if args.no_wait else args.timeout
    changes = options.rendered_in_cluster(args, fleet, lambda work: work.apply(wait_s=wait_s))
    options.print_changes(changes, fleet.name, output=args.output, done=True)
    return 0
