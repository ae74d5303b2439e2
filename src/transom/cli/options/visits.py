"""Visits to hosts as arguments: the way to them, the cluster if there is one, and the node program.

Hosts are looked at in whatever state they are.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from transom.cli.commands import join
from transom.cli.options import (
    cluster_access,
    fleet_access,
    host_access,
    lock_file,
    source_access,
)
from transom.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from transom.errors import TransomError
    from transom.fleet.on_host.program import Bring, Brought
    from transom.fleet.on_host.run import Connect
    from transom.kube.api import Api
T = TypeVar("T")


def add_arguments(parser: ArgumentParser) -> None:
    """The hosts, the cluster, where Python comes from, and the form."""
    host_access.add_way_arguments(parser, optional=True)
    fleet_access.add_selection_arguments(parser)
    fleet_access.add_host_arguments(parser)
    cluster_access.add_arguments(parser)
    join.add_artifact_arguments(parser)
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def bring_of(args: Namespace) -> "Bring":
    """How to have the node program and its Python, where the host has none."""
    from transom.model.fleet import Source
    from transom.site.node_program import brought_of

    source = Source(mirrors=host_access.mirrors_of(args.mirror))

    def bring() -> "Brought":
        lock = lock_file.load(Path(args.lock or lock_file.NAME))
        fetchers = source_access.fetchers_of(args.ca_file, args.header)
        return brought_of(args.python, lock, source, fetchers)

    return bring


def must_be_one(args: Namespace, *others: object) -> None:
    """One machine, or hosts of a fleet, or something else; all hosts where nothing is named."""
    if bool(args.address) + bool(args.host or args.pool) + sum(map(bool, others)) > 1:
        raise UsageError(
            "one machine by its ADDRESS, hosts of a fleet and archives are looked at apart",
            hint="leave out all but one of them",
        )


def visit_each(
    args: Namespace, visit: "Callable[[str, Connect, Api | None, Bring], Awaitable[T]]"
) -> "dict[str, T | TransomError]":
    """What each visit brought: one to the machine at ADDRESS, or one to each chosen host by its name at once."""
    from transom.fleet.hosts import each
    from transom.model.fleet import Host

    if args.address:
        return {args.address: _visit_one(args, visit)}
    site = fleet_access.open_site(args)

    async def visiting(host: Host) -> "T":
        doors = site.doors
        return await visit(host.name, doors.connect(host), doors.api, doors.bring)

    chosen = [host for host in site.fleet.hosts if host.name in site.hosts]
    return fleet_access.within(site, lambda: each(chosen, visiting, parallel=site.doors.parallel))


def _visit_one(
    args: Namespace, visit: "Callable[[str, Connect, Api | None, Bring], Awaitable[T]]"
) -> "T":
    import asyncio

    from transom.remote.target import parse_target

    place = parse_target(args.address).host
    api = cluster_access.open_api_if_any(args)

    async def visiting() -> "T":
        try:
            return await visit(place, host_access.connect_of(args), api, bring_of(args))
        finally:
            if api is not None:
                await api.close()

    return asyncio.run(visiting())
