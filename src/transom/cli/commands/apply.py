"""`transom apply`: the hosts of a fleet become Ready nodes; a second time changes nothing."""

from argparse import ArgumentParser, Namespace

from transom.cli.options import fleet_access, fleet_change

SUMMARY = "Bring every host of a fleet to its recipe and into the cluster; shows the plan and asks."

_EXAMPLES = """\
examples:
  transom apply
  transom apply -f fleet.yaml --pool web --yes
  transom apply -f fleet.yaml --yes -o json --junit result.xml
  transom apply -f fleet.yaml --bundle shop.bundle       a site without internet

What the cluster runs for these nodes (kube-proxy, the network) is applied first: see `transom addons`.
What disturbs pods of a node goes in waves: cordon, drain, change, Ready, uncordon.
Never more nodes of a pool are away than its rollout.maxUnavailable, whoever took them.
Ctrl-C: hosts finish the step they are at, no more are begun, and a second apply goes on.
exit codes: 0 done, 1 done, and settings of the fleet are not applied, 2 usage or not confirmed, 3 refused, 4 try again (unreachable, a reboot first,
not Ready yet, too many nodes away, add-ons' pods do not run), 5 a host failed and was undone; the worst of all hosts
"""


def configure(parser: ArgumentParser) -> None:
    """Add the fleet, the confirmation and the forms."""
    parser.epilog = _EXAMPLES
    fleet_change.add_arguments(parser)
    fleet_access.add_addons_argument(parser)
    parser.add_argument(
        "--no-approve",
        action="store_true",
        help="leave serving certificates that joining nodes ask for to somebody else",
    )


def run(args: Namespace) -> int:
    """Plan, ask, do, and sum up."""
    from transom.model.request import Verb

    site = fleet_access.open_site(args)
    return fleet_change.carry_out(
        args,
        site,
        Verb.JOIN,
        name="apply",
        approve=not args.no_approve,
        addons=not args.no_addons,
    )
