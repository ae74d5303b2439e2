"""`transom adopt`: nodes that others made become hosts of a fleet, as they are."""

from argparse import ArgumentParser, Namespace

from transom.cli import adopt_host, fleet_access, fleet_change
from transom.errors import UsageError

SUMMARY = "Take over nodes of this cluster that were made by other means; nothing on them changes."

_EXAMPLES = """\
examples:
  transom adopt -f fleet.yaml --host win-01
  transom adopt -f fleet.yaml --pool web --yes
  transom adopt 10.0.0.21                   one machine without a fleet

What is on the host is written down, so that a later apply or upgrade changes it and a reset takes
back no more than that. `transom plan` then shows what apply would change.
exit codes: 0 adopted, 2 usage or not confirmed, 3 refused (a node of another cluster, or none),
4 try again, 5 failed
"""


def configure(parser: ArgumentParser) -> None:
    """Add the fleet, the confirmation and the forms."""
    parser.epilog = _EXAMPLES
    fleet_change.add_either_arguments(parser)


def run(args: Namespace) -> int:
    """Plan, ask, adopt, and sum up."""
    from transom.model.request import Verb

    if fleet_change.is_one_machine(args):
        return adopt_host.run(args)
    if not (args.host or args.pool):
        raise UsageError("name the nodes to adopt", hint="ADDRESS, --host NAME or --pool NAME")
    return fleet_change.carry_out(args, fleet_access.open_site(args), Verb.ADOPT, name="adopt")
