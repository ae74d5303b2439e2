"""Resetting hosts: what Transom did is undone, the program is taken away, the Node deleted.

Called by `transom reset`, which has asked for confirmation. A host without the program is left as it
is. A host of a fleet is drained first; one that was joined alone only takes no new pods meanwhile.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime

from transom.errors import PermanentError, TemporaryError, TransomError, UnsupportedError
from transom.fleet.apply import Applied, FleetWatcher, Outcome
from transom.fleet.cluster import ClusterEntry, read_cluster, read_entry
from transom.fleet.drain import cordon, empty, uncordon
from transom.fleet.hosts import each
from transom.fleet.join import Doors
from transom.fleet.marks import RESETTING, none_of
from transom.fleet.ownership import another_owner
from transom.fleet.program import Brought, Ended
from transom.fleet.requests import at_cluster, entry_of
from transom.fleet.run import Clock, Connect, HostRun
from transom.fleet.single import Wish, owner_of, single_fleet
from transom.fleet.survey import FleetDoors
from transom.fleet.work import Watcher, patiently
from transom.kube.api import Api
from transom.model.answers import Leftover
from transom.model.event import State
from transom.model.fleet import Drain, Fleet, Host
from transom.model.journal import Owner
from transom.model.recipe import PREPARED
from transom.model.records import dataclass
from transom.model.request import Request, Verb, run_name
from transom.recipe.resolve import cases_of, recipe_of

_REMOVE_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WasReset:
    """A host that is as it was; `was_there` is False where Transom had never been.

    `given_back` is True for the node of somebody else that had been adopted: its Node stays.
    """

    name: str
    undone: tuple[str, ...]
    was_there: bool
    node_deleted: bool
    given_back: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Force:
    """A reset that also takes what no journal has: the program for that, and who says yes.

    `confirm` is shown everything that would be taken, and raises where that is not wanted.
    """

    brought: Brought
    confirm: Callable[[tuple[Leftover, ...]], None]


async def reset_host(
    wish: Wish, doors: Doors, *, watcher: Watcher, force: Force | None = None
) -> WasReset:
    """Undo everything the journal of a host without a fleet has, and delete its Node."""
    watcher.stage("read the cluster")
    view = await read_cluster(doors.api)
    watcher.stage("connect to the host")
    run = await _run(doors.connect, doors.clock, doors.now())
    try:
        if force is not None:
            watcher.stage("bring the node program")
            await run.program.bring(force.brought)
        elif not await run.program.is_there():
            await run.program.remove_unfinished()
            return WasReset(name=wish.address, undone=(), was_there=False, node_deleted=False)
        inventory = await run.program.inventory()
        fleet = single_fleet(wish, view, inventory)
        request = _request(fleet, fleet.hosts[0], owner_of(view), view.ca_hashes)
        if force is not None:
            force.confirm(await run.program.leftovers(replace(request, verb=Verb.PLAN)))
            request = replace(request, force=True)
        return await _undo(request, run, doors.api, watcher=watcher)
    finally:
        await run.session.close()


async def reset_fleet(
    fleet: Fleet,
    hosts: tuple[str, ...],
    doors: FleetDoors,
    *,
    watcher: FleetWatcher,
    drains: bool = True,
) -> None:
    """Reset the named hosts of a fleet at once; what came of each is told to the watcher."""
    entry = entry_of(fleet) if doors.api is None else await read_entry(doors.api)
    at = at_cluster(fleet, entry)
    chosen = [host for host in at.hosts if host.name in hosts]

    async def act(host: Host) -> Applied:
        start, one = doors.clock.monotonic(), watcher.host(host.name)
        try:
            applied = await _reset_one(at, host, entry, doors, watcher=one, drains=drains)
        except TransomError as error:
            applied = Applied(host=host.name, outcome=Outcome.FAILED, error=error)
        applied = replace(applied, elapsed_s=doors.clock.monotonic() - start)
        watcher.done(applied)
        return applied

    await each(chosen, act, parallel=doors.parallel)


async def _reset_one(
    fleet: Fleet,
    host: Host,
    entry: ClusterEntry,
    doors: FleetDoors,
    *,
    watcher: Watcher,
    drains: bool,
) -> Applied:
    watcher.stage("connect to the host")
    run = await _run(doors.connect(host), doors.clock, doors.now())
    try:
        if not await run.program.is_there():
            await run.program.remove_unfinished()
            return Applied(host=host.name, outcome=Outcome.UNCHANGED)
        owner = Owner(cluster=entry.ca_hashes[0], fleet=fleet.name, who="cli")
        request = _request(fleet, host, owner, entry.ca_hashes)
        wish = host.upgrade.drain if drains else None
        done = await _undo(request, run, doors.api, watcher=watcher, wish=wish)
    finally:
        await run.session.close()
    notes = _notes(done) if doors.api is not None else _without_cluster(done)
    return Applied(host=host.name, outcome=Outcome.RESET, changed=done.undone, notes=notes)


def _without_cluster(done: WasReset) -> tuple[str, ...]:
    skipped = f"pods of {done.name} were not asked to leave and its Node is still there"
    return (f"there is no kubeconfig, so {skipped}: `kubectl delete node {done.name}`",)


def _notes(done: WasReset) -> tuple[str, ...]:
    if done.given_back:
        return (f"{done.name} is a node as it was found when it was adopted",)
    return () if done.node_deleted else (f"{done.name} had no Node",)


async def _run(connect: Connect, clock: Clock, now: datetime) -> HostRun:
    return HostRun(connect, await connect(), clock, run_name(now, "reset"))


def _request(fleet: Fleet, host: Host, owner: Owner, pins: tuple[str, ...]) -> Request:
    # What is refused today may have been joined before: undoing needs no permission.
    (case,) = cases_of(fleet, hosts=(host.name,), detected_runtimes={})
    return Request(verb=Verb.RESET, recipe=recipe_of(case), owner=owner, pins=pins)


async def _undo(
    request: Request, run: HostRun, api: Api | None, *, watcher: Watcher, wish: Drain | None = None
) -> WasReset:
    node = request.recipe.join.node_name
    status = await run.program.status()
    owner = None if status["owner"] is None else Owner(**status["owner"])
    if owner is not None and not owner.gives_way_to(request.owner, request.pins):
        refusal = another_owner(node, owner, request.owner)
        raise UnsupportedError(
            f"{node} belongs to {refusal.found}: {refusal.reason}", subject=node, hint=refusal.fix
        )
    found = await api.node(node) if api is not None else None
    # A host that was undone has no journal: that its Node still has to go is written on the Node.
    is_begun = found is not None and RESETTING in found.labels
    taken = bool(status["joined"]) or request.force or is_begun
    is_ours = taken or bool(status["adopted"])
    if api is not None and found is not None and is_ours and not is_begun:
        watcher.stage("cordon the node" + (" and let its pods leave" if wish else ""))
        await _empty(api, node, wish, run.clock)
        # The add-ons' pods leave before the programs they run do.
        if of_programs := dict.fromkeys(key for key in PREPARED if key in found.labels):
            await api.label_node(node, of_programs)
        if taken:
            await api.label_node(node, {RESETTING: "true"})
    watcher.stage("undo what was done to the host")
    ended = await run.follow(request, watcher.event)
    _must_be_done(ended, node)
    # The program goes last: where the Node stays, the same command finds it and goes on.
    deleted = taken and api is not None and await patiently(_deleting(api, node), run.clock)
    given_back = found is not None and is_ours and not taken
    if given_back and api is not None:
        await _give_back(api, node)
    watcher.stage("take the node program away")
    await _remove(run)
    return WasReset(
        name=node,
        undone=ended.changed,
        was_there=True,
        node_deleted=deleted,
        given_back=given_back,
    )


async def _empty(api: Api, name: str, wish: Drain | None, clock: Clock) -> None:
    if wish is None:
        await cordon(api, name)
    else:
        await empty(api, name, wish, clock)


def _deleting(api: Api, name: str) -> Callable[[], Awaitable[bool]]:
    return lambda: api.delete_node(name)


async def _give_back(api: Api, name: str) -> None:
    """Let its maker's node be as it was found: it takes pods again where Transom cordoned it."""
    node = await api.node(name)
    if node is not None:
        await uncordon(api, node)
        if marks := none_of(node.labels):
            await api.label_node(name, marks)


def _must_be_done(ended: Ended, name: str) -> None:
    if ended.state is not State.DONE:
        raise PermanentError(
            f"the reset ended as {ended.state.value}",
            subject=name,
            hint="run the same command again; it goes on where it stopped",
        )


async def _remove(run: HostRun) -> None:
    """The run's process may still hold its own files for a moment after its last word."""
    deadline = run.clock.monotonic() + _REMOVE_S
    while True:
        try:
            await run.program.remove()
        except (PermanentError, TemporaryError):
            if run.clock.monotonic() > deadline:
                raise
            await run.clock.sleep(1)
        else:
            return
