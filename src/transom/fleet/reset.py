"""Resetting one host: what Transom did to it is undone, the program is taken away, the Node deleted.

Called by `transom reset`, which has asked for confirmation. Pods are not drained here; the Node only
takes no new ones while the host is undone. A host without the program is left as it is.
"""

from dataclasses import dataclass

from transom.errors import PermanentError, TemporaryError
from transom.fleet.cluster import read_cluster
from transom.fleet.join import Doors
from transom.fleet.program import Ended
from transom.fleet.run import HostRun
from transom.fleet.single import Wish, owner_of, single_fleet
from transom.fleet.work import Watcher
from transom.model.event import State
from transom.model.request import Request, Verb
from transom.recipe.resolve import cases_of, recipe_of

_REMOVE_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WasReset:
    """A host that is as it was; `was_there` is False where Transom had never been."""

    name: str
    undone: tuple[str, ...]
    was_there: bool
    node_deleted: bool


async def reset_host(wish: Wish, doors: Doors, *, watcher: Watcher) -> WasReset:
    """Undo everything the host's journal has, and delete its Node."""
    watcher.stage("read the cluster")
    view = await read_cluster(doors.api)
    watcher.stage("connect to the host")
    name = doors.now().strftime("%Y%m%dT%H%M%S") + "-reset"
    run = HostRun(doors.connect, await doors.connect(), doors.clock, name)
    try:
        if not await run.program.is_there():
            return WasReset(name=wish.address, undone=(), was_there=False, node_deleted=False)
        inventory = await run.program.inventory()
        fleet = single_fleet(wish, view, inventory)
        # What is refused today may have been joined before: undoing needs no permission.
        (case,) = cases_of(fleet, hosts=(), detected_runtimes={})
        request = Request(verb=Verb.RESET, recipe=recipe_of(case), owner=owner_of(view))
        node = request.recipe.join.node_name
        joined = bool((await run.program.status())["joined"])
        if joined and await doors.api.node(node) is not None:
            await doors.api.set_unschedulable(node, unschedulable=True)
        watcher.stage("undo what was done to the host")
        ended = await run.follow(request, watcher.event)
        _must_be_done(ended, node)
        watcher.stage("take the node program away")
        await _remove(run, doors)
        deleted = await doors.api.delete_node(node) if joined else False
    finally:
        await run.session.close()
    return WasReset(name=node, undone=ended.changed, was_there=True, node_deleted=deleted)


def _must_be_done(ended: Ended, name: str) -> None:
    if ended.state is not State.DONE:
        raise PermanentError(
            f"the reset ended as {ended.state.value}",
            subject=name,
            hint="run the same command again; it goes on where it stopped",
        )


async def _remove(run: HostRun, doors: Doors) -> None:
    """The run's process may still hold its own files for a moment after its last word."""
    deadline = doors.clock.monotonic() + _REMOVE_S
    while True:
        try:
            await run.program.remove()
        except (PermanentError, TemporaryError):
            if doors.clock.monotonic() > deadline:
                raise
            await doors.clock.sleep(1)
        else:
            return
