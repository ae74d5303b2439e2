"""Joining one host: from a Windows machine and a cluster to a Ready node, or to a reason why not.

Called by `transom join`. The doors come in as values. Nothing is changed on the host before its own
plan was read; a host with nothing to do is only looked at. The token lives from the moment the run
starts until the Node is registered, and is deleted in any case.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from transom.errors import PermanentError, Refused, TemporaryError, TransomError
from transom.fleet.cluster import ClusterView, read_cluster
from transom.fleet.program import Brought, Ended
from transom.fleet.run import Clock, Connect, HostRun
from transom.fleet.single import Wish, owner_of, single_fleet
from transom.kube.api import Api, Node
from transom.kube.bootstrap_token import NAMESPACE, BootstrapToken, new_token, token_secret
from transom.model.event import Event, State
from transom.model.fleet import Fleet
from transom.model.lock import Lock
from transom.model.problem import Refusal
from transom.model.recipe import Recipe
from transom.model.request import JoinSecrets, Request, Verb
from transom.recipe.lock import pinned
from transom.recipe.resolve import resolve

_PREFLIGHT, _JOIN = "preflight", "join"
_READY_S = 300.0
_REBOOTS = 2
_POLL_S = 1.0
_NETWORK = "network"

Pin = Callable[[Fleet], Lock]


class Watcher(Protocol):
    """Whoever looks on."""

    def stage(self, text: str) -> None:
        """Something begins."""
        ...

    def event(self, event: Event) -> None:
        """The node program says something."""
        ...


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
    wish: Wish, doors: Doors, *, brought: Brought, pin: Pin, watcher: Watcher
) -> Joined:
    """Make the host a Ready node."""
    watcher.stage("read the cluster")
    view = await read_cluster(doors.api)
    watcher.stage("connect to the host")
    name = doors.now().strftime("%Y%m%dT%H%M%S") + f"-{_JOIN}"
    run = HostRun(doors.connect, await doors.connect(), doors.clock, name)
    try:
        watcher.stage("bring the node program")
        is_new = await run.program.bring(brought)
        request = await request_for(wish, view, run, pin=pin, watcher=watcher)
        watcher.stage("compare the host with its recipe")
        wanted = planned(
            await run.program.plan(replace(request, verb=Verb.PLAN, plan_for=Verb.JOIN)), request
        )
        changed = await _work(request, wanted, run, doors, watcher, may_reboot=wish.reboot)
        watcher.stage("wait until the node is Ready")
        node = await ready(request.recipe.join.node_name, doors)
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
    )


def planned(plan: Mapping[str, Any], request: Request) -> frozenset[str]:
    """The steps with something to do; raise with every reason why the host cannot."""
    steps = {step["step"]: step["drift"] for step in plan["steps"]}
    if steps.get(_PREFLIGHT):
        raise Refused(
            [_refusal(entry) for entry in steps[_PREFLIGHT]],
            subject=f"host {request.recipe.identity.name}",
        )
    return frozenset(step for step, drift in steps.items() if drift)


def _refusal(entry: Mapping[str, Any]) -> Refusal:
    return Refusal(
        id=entry["id"],
        subject=entry["subject"],
        found=entry["found"],
        reason=entry["wanted"],
        fix=entry["fix"],
        source=entry["source"],
    )


async def _work(
    request: Request,
    wanted: frozenset[str],
    run: HostRun,
    doors: Doors,
    watcher: Watcher,
    *,
    may_reboot: bool,
) -> tuple[str, ...]:
    """Do what is wanted, with as many reboots as Windows asks for; name the steps that changed."""
    changed: tuple[str, ...] = ()
    host, first = request.recipe.identity.name, run.name
    for turn in range(_REBOOTS + 1):
        if not wanted:
            break
        run.name = f"{first}-{turn}" if turn else first
        ended = await _run(request, wanted, run, doors, watcher)
        changed = (*changed, *ended.changed)
        if ended.state is State.DONE:
            break
        if ended.state is State.CANCELLED:
            raise PermanentError(
                "the run was cancelled",
                subject=host,
                hint="run the same command again to go on, or `transom reset` to take it back",
            )
        if not may_reboot or turn == _REBOOTS:
            raise TemporaryError(
                f"{host} needs a reboot before it can go on",
                subject=host,
                hint="reboot it and run the same command again, or add --reboot",
            )
        watcher.stage("reboot the host")
        await run.reboot()
    return changed


async def _run(
    request: Request, wanted: frozenset[str], run: HostRun, doors: Doors, watcher: Watcher
) -> Ended:
    assert request.join is not None
    if _JOIN not in wanted or request.join.kubeconfig:
        return await run.follow(request, watcher.event)
    token = await _mint(request, doors)
    try:
        secrets = replace(request.join, token=token.text)
        return await run.follow(replace(request, join=secrets), watcher.event)
    finally:
        # It ends by itself as well, so a cluster that is away keeps nobody from going on.
        with suppress(TransomError):
            await doors.api.delete_secret(NAMESPACE, token.secret_name)


async def _mint(request: Request, doors: Doors) -> BootstrapToken:
    token = new_token()
    secret = token_secret(
        token,
        expires=doors.now().astimezone(UTC) + timedelta(seconds=request.deadline_s),
        description=f"transom join of {request.recipe.identity.name}",
    )
    await doors.api.create_secret(secret)
    return token


async def ready(name: str, doors: Doors) -> Node:
    """Wait until the Node is Ready; say why where it does not become so."""
    deadline = doors.clock.monotonic() + _READY_S
    while True:
        node = await doors.api.node(name)
        if node is not None and node.ready:
            return node
        if doors.clock.monotonic() + _POLL_S > deadline:
            raise _not_ready(name, node)
        await doors.clock.sleep(_POLL_S)


def _not_ready(name: str, node: Node | None) -> TemporaryError:
    if node is None:
        return TemporaryError(
            f"{name} has joined, but its Node has not appeared",
            subject=name,
            hint="look at the kubelet's log on the host",
        )
    if _NETWORK in node.problem.lower():
        return TemporaryError(
            f"{name} has joined and is not Ready because its pod network is missing: {node.problem}",
            subject=name,
            hint="deploy the network's add-on for Windows; the node turns Ready by itself",
        )
    return TemporaryError(
        f"{name} has joined and is not Ready: {node.problem or 'its kubelet is silent'}",
        subject=name,
        hint="look at the kubelet's log on the host",
    )
