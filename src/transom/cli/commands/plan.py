"""`transom plan`: what `apply` would do to each host of a fleet, and how disruptive it is."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli.options import fleet_access
from transom.cli.output import console
from transom.cli.output.plan_text import print_plan

if TYPE_CHECKING:
    from transom.fleet.planning.plan import FleetPlan

SUMMARY = "Show what would change on each host and in the cluster, and why; nothing is changed."

_EXAMPLES = """\
examples:
  transom plan
  transom plan -f fleet.yaml --pool web
  transom plan -f fleet.yaml --host win-01 -o json

After each change stands why it is needed, as [ID]: `transom explain ID`.
Hosts without Transom's node program get it for the visit; it is taken away again.
exit codes: 0 nothing to do, 1 changes, or settings that are not applied, 2 the fleet has mistakes, 3 refused (every reason is
printed), 4 a host or the cluster cannot be reached, 5 a host cannot be looked at
"""
_CHANGES = 1


def configure(parser: ArgumentParser) -> None:
    """Add the fleet and the form."""
    parser.epilog = _EXAMPLES
    fleet_access.add_arguments(parser)
    fleet_access.add_addons_argument(parser)
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def run(args: Namespace) -> int:
    """Look at everything and print the plan."""
    from transom.fleet.survey import survey_fleet

    site = fleet_access.open_site(args)
    fleet_access.tell_looking(site)
    surveyed = fleet_access.within(
        site,
        lambda: survey_fleet(
            site.fleet, site.lock, site.doors, hosts=site.hosts, addons=not args.no_addons
        ),
    )
    if args.output == "json":
        from transom.documents.fleets import plan_document

        console.print_json(plan_document(surveyed.plan))
    else:
        print_plan(surveyed.plan)
    return exit_code(surveyed.plan)


def exit_code(plan: "FleetPlan") -> int:
    """The worst of what the hosts and the cluster say."""
    from transom.errors import UnsupportedError
    from transom.fleet.planning.plan import Standing

    if plan.is_refused:
        return UnsupportedError.exit_code
    errors = [host.error for host in plan.hosts if host.error is not None]
    if errors:
        return max(error.exit_code for error in errors)
    lacks = any(host.not_applied for host in plan.hosts)
    return _CHANGES if plan.standing(Standing.CHANGES) or plan.addons.changes or lacks else 0
