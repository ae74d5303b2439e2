"""Upgrading one host: from a node Transom answers for to a Ready one of another version, or back.

Called by `transom upgrade`. The doors come in as values. The node program does the work and takes it
back where the node does not come to be Ready; here it is told what to become, and watched. A node
whose runtime or privileged way ends with its version is reset and joined anew, only where allowed:
its pods must have left before.
"""

from dataclasses import replace

from transom.errors import PermanentError, Refused, UsageError
from transom.fleet.cluster import ClusterView, read_cluster
from transom.fleet.join import Doors, Pin, join_host, planned, request_for
from transom.fleet.ownership import claims_anew
from transom.fleet.program import Brought
from transom.fleet.reset import reset_host
from transom.fleet.run import HostRun
from transom.fleet.single import Wish
from transom.fleet.work import Watcher, await_ready, mark_prepared
from transom.kube.api import Node
from transom.model.event import State
from transom.model.recipe import Recipe
from transom.model.records import dataclass
from transom.model.request import Request, Verb, run_name

ANEW = "reset-needed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgraded:
    """A node that is Ready; `before` is the version it came from, `anew` that it was joined again."""

    node: Node
    recipe: Recipe
    before: str
    changed: tuple[str, ...]
    anew: bool = False


async def upgrade_host(
    wish: Wish,
    doors: Doors,
    *,
    brought: Brought,
    pin: Pin,
    watcher: Watcher,
    may_join_anew: bool = False,
) -> Upgraded:
    """Bring a node to the version that the wish names, or to the cluster's."""
    watcher.stage("read the cluster")
    view = await read_cluster(doors.api)
    watcher.stage("connect to the host")
    name = run_name(doors.now(), "upgrade")
    run = HostRun(doors.connect, await doors.connect(), doors.clock, name)
    try:
        before = await _present(run, wish.address)
        watcher.stage("bring the node program")
        await run.program.bring(brought)
        request = await _request(wish, view, run, pin=pin, watcher=watcher)
        watcher.stage("compare the host with its recipe")
        try:
            wanted = planned(await run.program.plan(_plan(request)), request)
        except Refused as error:
            if not (may_join_anew and {item.id for item in error.refusals} == {ANEW}):
                raise
        else:
            work = wanted or await claims_anew(run.program, request)
            changed = await _work(request, run, watcher) if work else ()
            watcher.stage("wait until the node is Ready")
            node = await await_ready(request.recipe.join.node_name, doors.api, doors.clock)
            if changed or before:
                await mark_prepared(node, doors.api, doors.clock)
            return Upgraded(node=node, recipe=request.recipe, before=before, changed=changed)
    finally:
        await run.session.close()
    watcher.stage("reset the host, because its runtime ends with its version")
    await reset_host(wish, doors, watcher=watcher)
    watcher.stage("join it with the new recipe")
    joined = await join_host(wish, doors, brought=brought, pin=pin, watcher=watcher)
    return Upgraded(
        node=joined.node, recipe=joined.recipe, before=before, changed=joined.changed, anew=True
    )


async def _present(run: HostRun, address: str) -> str:
    status = await run.program.status() if await run.program.is_there() else {}
    if not (status.get("joined") or status.get("adopted")):
        raise UsageError(
            f"{address} is no node of Transom's, so there is nothing to upgrade",
            subject=address,
            hint=f"`transom join {address}`, or `transom adopt {address}` where somebody else made it",
        )
    return str(status.get("kubernetes", ""))


async def _request(
    wish: Wish, view: ClusterView, run: HostRun, *, pin: Pin, watcher: Watcher
) -> Request:
    request = await request_for(wish, view, run, pin=pin, watcher=watcher)
    return replace(request, verb=Verb.UPGRADE)


def _plan(request: Request) -> Request:
    return replace(request, verb=Verb.PLAN, plan_for=Verb.UPGRADE)


async def _work(request: Request, run: HostRun, watcher: Watcher) -> tuple[str, ...]:
    ended = await run.follow(request, watcher.event)
    if ended.state is not State.DONE:
        raise PermanentError(
            f"the upgrade ended as {ended.state.value}",
            subject=request.recipe.identity.name,
            hint="run the same command again to go on",
        )
    return ended.changed
