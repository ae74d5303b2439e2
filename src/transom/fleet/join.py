"""Joining one host: from a Windows machine and a cluster to a Ready node, or to a reason why not.

Called by `transom join`. The doors come in as values. Nothing is changed on the host before its own
plan was read; a host with nothing to do is only looked at.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from transom.errors import Refused
from transom.fleet.carry import Holdings, carry, clear, to_be_carried
from transom.fleet.cluster import ClusterView, read_cluster
from transom.fleet.ownership import claims_anew
from transom.fleet.program import Brought
from transom.fleet.run import Clock, Connect, HostRun
from transom.fleet.single import Wish, owner_of, single_fleet
from transom.fleet.work import Bench, Watcher, await_ready, bring_to_recipe, mark_prepared
from transom.kube.api import Api, Node
from transom.model.fleet import Fleet
from transom.model.lock import Lock
from transom.model.problem import Refusal
from transom.model.recipe import Recipe
from transom.model.records import dataclass
from transom.model.request import JoinSecrets, Request, Verb, run_name
from transom.recipe.end_of_life import refuse_end_of_life
from transom.recipe.lock import pinned
from transom.recipe.resolve import resolve

_PREFLIGHT, _ARTIFACTS, _JOIN = "preflight", "artifacts", "join"

Pin = Callable[[Fleet], Lock]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """Everything outside that a join or reset reaches for."""

    api: Api
    connect: Connect
    clock: Clock
    now: Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A node that is Ready, and which steps changed something to get there."""

    node: Node
    recipe: Recipe
    changed: tuple[str, ...]
    brought: bool


async def join_host(
    wish: Wish,
    doors: Doors,
    *,
    brought: Brought,
    pin: Pin,
    watcher: Watcher,
    holdings: Holdings | None = None,
) -> Joined:
    """Make the host a Ready node; artifacts that `holdings` has are carried to it."""
    watcher.stage("read the cluster")
    view = await read_cluster(doors.api)
    watcher.stage("connect to the host")
    name = run_name(doors.now(), _JOIN)
    run = HostRun(doors.connect, await doors.connect(), doors.clock, name)
    try:
        watcher.stage("bring the node program")
        is_new = await run.program.bring(brought)
        request = await request_for(wish, view, run, pin=pin, watcher=watcher)
        if holdings is not None:
            artifacts = to_be_carried(request.recipe.artifacts, holdings)
            request = replace(request, recipe=replace(request.recipe, artifacts=artifacts))
        watcher.stage("compare the host with its recipe")
        asked = replace(request, verb=Verb.PLAN, plan_for=Verb.JOIN)
        wanted = planned(await run.program.plan(asked), request)
        lacking = wanted.get(_ARTIFACTS, ())
        if holdings is not None and lacking:
            watcher.stage("carry artifacts to the host")
            await carry(run.session, request.recipe.artifacts, lacking, holdings)
        changed: tuple[str, ...] = ()
        if wanted or await claims_anew(run.program, request):
            bench = Bench(api=doors.api, clock=doors.clock, now=doors.now)
            changed = await bring_to_recipe(
                request,
                run,
                bench,
                watcher=watcher,
                joins=_JOIN in wanted,
                may_reboot=wish.reboot,
            )
        if holdings is not None and lacking:
            await clear(run.session)
        watcher.stage("wait until the node is Ready")
        node = await await_ready(request.recipe.join.node_name, doors.api, doors.clock)
        await mark_prepared(node, doors.api, doors.clock)
    finally:
        await run.session.close()
    return Joined(
        node=node,
        recipe=request.recipe,
        changed=changed,
        brought=is_new,
    )


async def request_for(
    wish: Wish, view: ClusterView, run: HostRun, *, pin: Pin, watcher: Watcher
) -> Request:
    """The join of this very host, locked, without its token."""
    inventory = await run.program.inventory()
    fleet = single_fleet(wish, view, inventory)
    (recipe,) = resolve(fleet)
    refuse_end_of_life(fleet, [recipe])
    watcher.stage("pin the artifacts")
    artifacts = pinned(recipe.artifacts, pin(fleet), mirrors=fleet.source.mirrors)
    secrets = JoinSecrets(
        endpoint=view.endpoint,
        token="",
        ca_hashes=view.ca_hashes,
        kubeconfig=wish.node_kubeconfig,
    )
    return Request(
        verb=Verb.JOIN,
        recipe=replace(recipe, artifacts=artifacts),
        owner=owner_of(view),
        join=secrets,
        access=wish.access,
        pins=view.ca_hashes,
    )


def planned(plan: Mapping[str, Any], request: Request) -> Mapping[str, tuple[str, ...]]:
    """The steps with something to do, and to what; raise with every reason why the host cannot."""
    steps = {step["step"]: step["drift"] for step in plan["steps"]}
    if steps.get(_PREFLIGHT):
        raise Refused(
            [_refusal(entry) for entry in steps[_PREFLIGHT]],
            subject=f"host {request.recipe.identity.name}",
        )
    return {
        step: tuple(entry["subject"] for entry in drift) for step, drift in steps.items() if drift
    }


def _refusal(entry: Mapping[str, Any]) -> Refusal:
    return Refusal(
        id=entry["id"],
        subject=entry["subject"],
        found=entry["found"],
        reason=entry["wanted"],
        fix=entry["fix"],
        source=entry["source"],
    )
