"""Resetting hosts of a fleet: what Transom did is undone, the program is taken away, the Node deleted."""

from transom.fleet.cluster import ClusterEntry, read_entry, refuse_another_cluster
from transom.fleet.doors import FleetDoors
from transom.fleet.hosts import each
from transom.fleet.phases import RESET
from transom.fleet.planning.requests import at_cluster, entry_of
from transom.fleet.work.cordon import RESET as VERB
from transom.fleet.work.cordon import Holder
from transom.fleet.work.host import work_through
from transom.fleet.work.outcome import Applied, FleetWatcher
from transom.fleet.work.reset import Confirm, ResetWork
from transom.model.fleet import Fleet, Host
from transom.model.journal import Owner
from transom.model.request import Request, Verb
from transom.recipe.resolve import cases_of, recipe_of


async def reset_fleet(
    fleet: Fleet,
    hosts: tuple[str, ...],
    doors: FleetDoors,
    *,
    watcher: FleetWatcher,
    drains: bool = True,
    confirm: Confirm | None = None,
) -> dict[str, ResetWork]:
    """Reset the named hosts of a fleet at once; what came of each is told to the watcher.

    With `confirm`, which is shown what that is, also what looks like a node's and is in no journal.
    """
    entry = entry_of(fleet) if doors.api is None else await read_entry(doors.api)
    refuse_another_cluster(fleet, entry.ca_hashes)
    at = at_cluster(fleet, entry)
    holder = Holder.of(doors.holder, VERB, doors.now())
    works = {
        host.name: ResetWork(
            host=host,
            request=_request(at, host, entry),
            doors=doors,
            holder=holder,
            watcher=watcher.host(host.name),
            drains=drains,
            reason=VERB,
            confirm=confirm,
        )
        for host in at.hosts
        if host.name in hosts
    }

    async def act(host: Host) -> Applied:
        return await work_through(RESET, works[host.name], watcher)

    await each((work.host for work in works.values()), act, parallel=doors.parallel)
    return works


def _request(fleet: Fleet, host: Host, entry: ClusterEntry) -> Request:
    # What is refused today may have been joined before: undoing needs no permission.
    (case,) = cases_of(fleet, hosts=(host.name,), detected_runtimes={})
    owner = Owner(cluster=entry.ca_hashes[0], fleet=fleet.name, who="cli")
    return Request(verb=Verb.RESET, recipe=recipe_of(case), owner=owner, pins=entry.ca_hashes)
