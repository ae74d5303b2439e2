"""One machine by its ADDRESS as arguments: the fleet of one that it makes, its doors, and what is shown meanwhile."""

import asyncio
import sys
from argparse import Namespace
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from transom.cli.options import cluster_access, fleet_access, host_access, lock_file, source_access
from transom.cli.output.fleet_lines import FleetLines
from transom.cli.output.fleet_report import remarks
from transom.cli.output.progress import progress_of
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.fleet.on_host.program import Brought
    from transom.fleet.on_host.upload import Holdings
    from transom.fleet.work.outcome import Applied
    from transom.model.fleet import Fleet
    from transom.model.lock import Lock
    from transom.site.one_host import OneHost

T = TypeVar("T")

_NOT_APPLIED = 1


def open_machine(
    args: Namespace,
    lines: FleetLines,
    *,
    kubernetes: str = "",
    node_kubeconfig: str = "",
    bundle: "tuple[Holdings, Lock, Brought] | None" = None,
) -> "OneHost":
    """As the arguments say; the doors are not opened yet."""
    from transom.fleet.doors import FleetDoors
    from transom.fleet.one_host import Wish
    from transom.fleet.turning import RealClock
    from transom.model.fleet import Source
    from transom.site.node_program import brought_of
    from transom.site.one_host import OneHost
    from transom.site.pinning import complete_lock

    source = Source(mirrors=host_access.mirrors_of(args.mirror))
    sources = source_access.fetchers_of(args.ca_file, args.header)
    path, connect = Path(args.lock or lock_file.NAME), host_access.connect_of(args)
    kept: list[Brought] = [] if bundle is None else [bundle[2]]

    def bring() -> "Brought":
        if not kept:
            kept.append(brought_of(args.python, lock_file.load(path), source, sources))
        return kept[0]

    def pin(fleet: "Fleet") -> "Lock":
        return complete_lock(path, fleet, sources, progress_of) if bundle is None else bundle[1]

    doors = FleetDoors(
        api=cluster_access.open_api(args),
        connect=lambda _host: connect,
        clock=RealClock(),
        now=lambda: datetime.now(UTC),
        bring=bring,
        parallel=1,
        holdings=None if bundle is None else bundle[0],
        access=source_access.access_of(args.ca_file, args.header),
        node_kubeconfig=node_kubeconfig,
        holder=fleet_access.holder(),
    )
    wish = Wish(
        address=host_access.target_of(args).host,
        node_ip=args.node_ip,
        windows=args.windows,
        kubernetes=kubernetes,
        reboot=getattr(args, "reboot", False),
        source=source,
    )
    return OneHost(wish=wish, connect=connect, doors=doors, pin=pin, watcher=lines)


def refuse_bundle(args: Namespace) -> None:
    """Say that a bundle is for hosts of a fleet, where a machine cannot have one."""
    if args.bundle:
        raise UsageError(
            "--bundle is for the hosts of a fleet here",
            hint="name the fleet with -f and the host with --host",
        )


def see_to(
    one: "OneHost",
    lines: FleetLines,
    work: Callable[["OneHost"], Awaitable[T]],
    *,
    said: Sequence[str],
) -> T:
    """Do it, close the doors and leave the live lines behind; `said` is told where a person interrupts."""

    async def done() -> T:
        ticker = asyncio.create_task(lines.tick())
        try:
            return await work(one)
        finally:
            ticker.cancel()
            await one.api.close()

    try:
        return asyncio.run(done())
    except KeyboardInterrupt:
        lines.end()
        print(*said, sep="\n  ", file=sys.stderr)
        raise
    finally:
        lines.end()


def print_remarks(applied: "Applied") -> None:
    """What is worth knowing of a host that did not fail."""
    for line in remarks(applied):
        print(line)


def exit_code(applied: "Applied") -> int:
    """1 where settings do not arrive, as for a fleet."""
    return _NOT_APPLIED if applied.not_applied else 0
