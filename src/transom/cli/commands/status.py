"""`transom status`: how each host of a fleet stands."""

import sys
import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli.options import fleet_access
from transom.cli.output import console

if TYPE_CHECKING:
    from transom.fleet.status import FleetStatus

SUMMARY = "Show how each host stands: Windows, Node, kubelet, journal, drift; nothing is changed."

_EXAMPLES = """\
examples:
  transom status
  transom status -f fleet.yaml --pool web --watch
  transom status -f fleet.yaml -o json

A Node that is marked as one of the fleet (label transom.dev/fleet) and that the file no longer names is
listed as left over; nobody touches it. Windows nodes of no fleet are named, those of other fleets not.
exit codes: 0 every host is as it should be and Ready, 1 not so, 2 usage, 3 the fleet is refused,
4 the cluster cannot be reached
"""
_INTERVAL_S = 10.0
_CLEAR = "\033[H\033[2J"
_UNWELL = 1


def configure(parser: ArgumentParser) -> None:
    """Add the fleet and the form."""
    parser.epilog = _EXAMPLES
    fleet_access.add_arguments(parser)
    parser.add_argument(
        "--gmsa",
        action="store_true",
        help="also say what hosts and cluster lack for group-managed service accounts",
    )
    parser.add_argument("-w", "--watch", action="store_true", help="look again every 10 s")
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def run(args: Namespace) -> int:
    """Look, print, and look again where that is wanted."""
    while True:
        status = _look(args)
        if args.watch and sys.stdout.isatty():
            print(_CLEAR, end="")
        _print(status, args.output)
        if not args.watch:
            return 0 if status.is_well else _UNWELL
        sys.stdout.flush()
        time.sleep(_INTERVAL_S)  # noqa: TID251 - the person watches the time pass


def _look(args: Namespace) -> "FleetStatus":
    from transom.fleet.status import fleet_status
    from transom.fleet.survey import survey_fleet

    site = fleet_access.open_site(args)

    async def looking() -> "FleetStatus":
        surveyed = await survey_fleet(site.fleet, site.lock, site.doors, hosts=site.hosts)
        return await fleet_status(surveyed, site.doors, gmsa=args.gmsa)

    return fleet_access.within(site, looking)


def _print(status: "FleetStatus", output: str) -> None:
    if output == "json":
        from transom.documents.fleets import FleetStatusDocument

        console.print_json(
            FleetStatusDocument(
                hosts=status.hosts,
                left_over=status.left_over,
                of_no_fleet=status.of_no_fleet,
                findings=status.findings,
                unread=status.unread,
            )
        )
        return
    header = (
        *("HOST", "ADDRESS", "WINDOWS", "NODE", "KUBELET", "RUNTIME", "NETWORK"),
        *("JOURNAL", "DRIFT", "FINDINGS"),
    )
    rows = [
        (
            *(host.host, host.address, host.windows, host.node, host.kubelet, host.runtime),
            *(host.network, host.journal, str(host.drift or ""), str(len(host.findings) or "")),
        )
        for host in status.hosts
    ]
    print(f"cluster {status.cluster}")
    console.print_table(header, [tuple(cell or "-" for cell in row) for row in rows])
    for host in status.hosts:
        for finding in host.findings:
            print(f"{host.host}: {finding}")
        for warning in host.warnings:
            print(f"{host.host}: warning: {warning}")
    for finding in status.findings:
        print(f"cluster: {finding}")
    for name in status.left_over:
        print(
            f"{name}: left over: its Node is marked as one of this fleet, whose file does not name it"
        )
        print(f"  next: name it there again; `transom reset --host {name}` then takes it back")
    if status.of_no_fleet:
        print(f"Windows nodes of no fleet: {', '.join(status.of_no_fleet)}")
    for what in status.unread:
        print(f"not looked at: {what}")
