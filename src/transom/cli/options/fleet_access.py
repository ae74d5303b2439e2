"""A fleet's hosts and cluster as arguments: how they are selected, and the doors they open.

Nothing is opened before it is needed.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from transom.cli.options import (
    cluster_access,
    fleet_file,
    host_access,
    lock_file,
    source_access,
    trusted_bundle,
)
from transom.cli.output import console
from transom.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from transom.fleet.doors import FleetDoors
    from transom.fleet.on_host.run import Connect
    from transom.kube.api import Api
    from transom.model.fleet import Fleet, Host
    from transom.model.lock import Lock
    from transom.site.fleet_change import Site

T = TypeVar("T")

_PARALLEL = 100
_SOURCES = ("python", "ca_file", "header")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The fleet, which of its hosts, the cluster and where artifacts come from."""
    add_selection_arguments(parser)
    cluster_access.add_arguments(parser, fleet=True)
    group = add_host_arguments(parser)
    group.add_argument(
        "--lock", metavar="FILE", help="SHA-256 sums (default: transom.lock beside the fleet)"
    )
    group.add_argument(
        "--python",
        metavar="FILE",
        help="python.org's embeddable package for hosts, instead of downloading it",
    )
    source_access.add_arguments(group)
    add_bundle_argument(group)


def add_bundle_argument(parser: "argparse.ArgumentParser | argparse._ArgumentGroup") -> None:
    """A bundle instead of every other source."""
    parser.add_argument(
        "--bundle",
        metavar="FILE",
        help="take artifacts and Python from this bundle and from nowhere else; it must agree with "
        "the lock, or be signed (default: the Client's bundle)",
    )


def add_selection_arguments(parser: argparse.ArgumentParser) -> None:
    """The fleet, and which of its hosts."""
    fleet_file.add_argument(parser)
    parser.add_argument("--fleet", metavar="NAME", help="which one, where the file has several")
    parser.add_argument(
        "--host", action="append", default=[], metavar="NAME", help="only this host; repeatable"
    )
    parser.add_argument(
        "--pool",
        action="append",
        default=[],
        metavar="NAME",
        help="only hosts of this pool; repeatable",
    )


def add_host_arguments(parser: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """How a fleet's hosts are reached."""
    group = parser.add_argument_group("the hosts of a fleet")
    group.add_argument(
        "--accept-new-host-keys",
        action="store_true",
        help="write down the SSH keys of hosts seen for the first time, with a warning",
    )
    group.add_argument(
        "--parallel",
        type=_count,
        default=_PARALLEL,
        metavar="N",
        help="so many hosts at once (default: %(default)s)",
    )
    trusted_bundle.add_arguments(group)
    return group


def add_addons_argument(parser: argparse.ArgumentParser) -> None:
    """Whether what the cluster runs for the fleet's nodes is looked at too."""
    parser.add_argument(
        "--no-addons",
        action="store_true",
        help="leave kube-proxy and the network of Windows nodes to somebody else",
    )


def open_site(args: argparse.Namespace) -> "Site":
    """Read the fleet and have its doors; none is opened yet."""
    if getattr(args, "mirror", None):
        raise UsageError(
            "--mirror is for one machine without a fleet",
            hint="write source.mirrors into the fleet",
        )
    from transom.fleet.on_host.upload import local_files
    from transom.recipe.defaults import locked_fleet
    from transom.site.fleet_change import Site

    fleet = one_fleet(args)
    hosts = selected_hosts(fleet, args)
    if bundle := _bundle(args, fleet):
        from transom.fleet.on_host.program import Brought

        kept = lock_file.locate(args.filename, getattr(args, "lock", None))
        holdings, lock = trusted_bundle.open_bundle(bundle, args, lock=kept)
        fleet = locked_fleet(fleet, lock)
        doors = doors_of(args, fleet, lock)
        brought = Brought.with_python(holdings.python(lock))
        bundled = replace(doors, holdings=holdings, bring=lambda: brought)
        return Site(fleet, hosts, lock, bundled)
    lock = lock_file.load(lock_file.locate(args.filename, getattr(args, "lock", None)))
    fleet = locked_fleet(fleet, lock)
    doors = doors_of(args, fleet, lock)
    local = local_files(fleet.source, lock, fleet_file.folder(args.filename))
    return Site(fleet, hosts, lock, replace(doors, holdings=local) if local else doors)


def _bundle(args: argparse.Namespace, fleet: "Fleet") -> Path | None:
    """The bundle that was named, else the fleet's own."""
    given = getattr(args, "bundle", None)
    other = [f"--{name.replace('_', '-')}" for name in _SOURCES if getattr(args, name, None)]
    if given and other:
        raise UsageError(
            f"--bundle uses nothing else, so {other[0]} has no place beside it",
            hint="leave out one of them",
        )
    own = fleet.source.bundle
    if given or not own:
        return Path(given) if given else None
    return fleet_file.folder(args.filename) / own


def tell_looking(site: "Site") -> None:
    """Say on a terminal that hosts are being looked at: a first visit takes a while."""
    if sys.stderr.isatty():
        count = len(site.hosts)
        console.note(f"looking at the cluster and {count} {'host' if count == 1 else 'hosts'} …")


def within(site: "Site", act: "Callable[[], Awaitable[T]]") -> T:
    """Do something with the doors, and close them."""
    import asyncio

    found: list[T] = []

    async def done() -> None:
        try:
            # Not returned: asyncio writes out what a task returns when it takes its signal handler back.
            found.append(await act())
        finally:
            if site.doors.api is not None:
                await site.doors.api.close()

    asyncio.run(done())
    return found[0]


def one_fleet(args: argparse.Namespace) -> "Fleet":
    """The only fleet of the file, or the named one."""
    fleets = fleet_file.read(args.filename)
    named = [fleet for fleet in fleets if args.fleet in (None, fleet.name)]
    if len(named) != 1:
        names = ", ".join(fleet.name for fleet in fleets)
        raise UsageError(
            f"{args.filename} has {'several fleets' if named else f'no fleet {args.fleet}'}",
            subject=str(args.filename),
            hint=f"name one with --fleet: {names}",
        )
    return named[0]


def one_host(args: argparse.Namespace) -> "Host":
    """The host of the fleet that was named."""
    fleet = one_fleet(args)
    found = fleet.host(args.host)
    if found is None:
        names = ", ".join(host.name for host in fleet.hosts) or "none"
        raise UsageError(f"fleet {fleet.name} has no host {args.host}", hint=f"it has {names}")
    return found


def selected_hosts(fleet: "Fleet", args: argparse.Namespace) -> tuple[str, ...]:
    """The names of the hosts that were selected; all where nothing was said."""
    pools = {host.pool for host in fleet.hosts if host.pool}
    unknown = [f"pool {name}" for name in args.pool if name not in pools]
    named = {name: fleet.host(name) for name in args.host}
    unknown += [f"host {name}" for name, host in named.items() if host is None]
    if unknown:
        hosts = ", ".join(host.name for host in fleet.hosts) or "none"
        raise UsageError(
            f"fleet {fleet.name} has no {', no '.join(unknown)}",
            hint=f"its hosts are {hosts}"
            + (f"; its pools {', '.join(sorted(pools))}" if pools else ""),
        )
    chosen = tuple(
        host.name
        for host in fleet.hosts
        if not (args.host or args.pool) or host in named.values() or host.pool in args.pool
    )
    if not chosen:
        raise UsageError(
            f"fleet {fleet.name} has no hosts",
            subject=str(args.filename),
            hint="add some under spec.hosts: {name: win-01, address: 10.0.0.21}; or name files of WindowsHosts with -f",
        )
    return chosen


def doors_of(args: argparse.Namespace, fleet: "Fleet", lock: "Lock") -> "FleetDoors":
    """The doors to the hosts and the cluster; none is opened yet."""
    from transom.site import fleet_doors

    api = _api(args, fleet)
    sources = getattr(args, "ca_file", ""), getattr(args, "header", ())
    secrets = host_access.secrets_of(api)

    def connect(host: "Host") -> "Connect":
        return host_access.connect_to(host, secrets, accept_new=args.accept_new_host_keys)

    means = fleet_doors.Means(
        secrets=secrets,
        connect=connect,
        fetchers=lambda: source_access.fetchers_of(*sources),
        folder=fleet_file.folder(args.filename),
        access=source_access.access_of(*sources),
        parallel=args.parallel,
        holder=holder(),
        python=getattr(args, "python", None),
    )
    return fleet_doors.doors_of(fleet, lock, api, means)


def holder() -> str:
    """Who works on nodes from here, as it is written on them."""
    import getpass
    import socket

    try:
        return f"{getpass.getuser()}@{socket.gethostname()}"
    except (KeyError, OSError):  # a user without a name, as in some containers
        return socket.gethostname()


def _api(args: argparse.Namespace, fleet: "Fleet") -> "Api | None":
    """The cluster's API; a fleet that names the way in by itself can do without."""
    cluster = fleet.cluster
    if cluster.endpoint and cluster.token_from and not (args.kubeconfig or cluster.kubeconfig):
        return None
    return cluster_access.open_api(args, fleet.cluster)


def _count(text: str) -> int:
    count = int(text) if text.isdecimal() else 0
    if count < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of hosts")
    return count
