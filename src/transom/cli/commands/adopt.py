"""`transom adopt`: nodes that others made become hosts of a fleet, as they are."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli.options import fleet_access, fleet_change
from transom.cli.output import console
from transom.documents.nodes import AdoptResult
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.site.one_host import Adopted

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
        return _adopt_machine(args)
    if not (args.host or args.pool):
        raise UsageError("name the nodes to adopt", hint="ADDRESS, --host NAME or --pool NAME")
    return fleet_change.carry_out(args, fleet_access.open_site(args), Verb.ADOPT, name="adopt")


def _adopt_machine(args: Namespace) -> int:
    from transom.cli.options import one_machine
    from transom.cli.output.fleet_lines import FleetLines
    from transom.site import one_host

    one_machine.refuse_bundle(args)
    lines = FleetLines(1)
    one = one_machine.open_machine(args, lines)
    said = (
        "interrupted: the host finishes what it writes down",
        f"to go on: transom adopt {args.address}",
    )
    _print(one_machine.see_to(one, lines, one_host.adopt, said=said), args.output, lines.elapsed_s)
    return 0


def _print(done: "Adopted", output: str, elapsed_s: float) -> None:
    node = done.node
    if output == "json":
        console.print_json(
            AdoptResult(
                node=node.name,
                kubernetes=node.kubelet,
                is_new=done.is_new,
                planned=done.planned,
                elapsed_ms=round(elapsed_s * 1000),
            )
        )
        return
    how = "adopted" if done.is_new else "adopted already"
    print(
        f"{node.name} is {how}, Kubernetes {node.kubelet}; nothing was changed, {elapsed_s:.1f} s"
    )
    if done.planned:
        print("`transom upgrade` would change:")
    for step in done.planned:
        print(f"  {step.title} ({step.disruption})")
        for drift in step.drift:
            print(f"    {drift.subject}: {drift.found} -> {drift.wanted}")
