"""Bringing one host to its recipe: the run, its token, its reboots, and the wait for Ready.

Called by `join` and `apply`, which have decided that it is to be done. The token lives from the moment
the run starts until the Node is registered, and is deleted in any case.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Protocol, TypeVar

from transom.errors import PermanentError, TemporaryError, TransomError
from transom.fleet.marks import of_prepared
from transom.fleet.program import Ended
from transom.fleet.run import Clock, HostRun
from transom.kube.api import Api, Node
from transom.kube.bootstrap_token import NAMESPACE, BootstrapToken, new_token, token_secret
from transom.model.event import Event, State
from transom.model.records import dataclass
from transom.model.request import Request

T = TypeVar("T")

_JOIN = "join"
_READY_S = 300.0
_API_S = 60.0
_REBOOTS = 2
_POLL_S = 1.0
_NETWORK = "network"


class Watcher(Protocol):
    """Whoever looks on."""

    def stage(self, text: str) -> None:
        """Something begins."""
        ...

    def event(self, event: Event) -> None:
        """The node program says something."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What the work reaches for; without an `api` the request must bring its own token."""

    api: Api | None
    clock: Clock
    now: Callable[[], datetime]


async def bring_to_recipe(
    request: Request, run: HostRun, bench: Bench, *, watcher: Watcher, joins: bool, may_reboot: bool
) -> tuple[str, ...]:
    """Run the request, with as many reboots as Windows asks for; name the steps that changed."""
    changed: tuple[str, ...] = ()
    host, first = request.recipe.identity.name, run.name
    for turn in range(_REBOOTS + 1):
        run.name = f"{first}-{turn}" if turn else first
        ended = await _run(request, run, bench, watcher=watcher, joins=joins)
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
                hint="reboot it and run the same command again, or allow it: --reboot for one host, "
                "`reboot: allowed` in a fleet",
            )
        watcher.stage("reboot the host")
        await run.reboot()
    return changed


async def _run(
    request: Request, run: HostRun, bench: Bench, *, watcher: Watcher, joins: bool
) -> Ended:
    assert request.join is not None
    api = bench.api
    if not joins or request.join.kubeconfig or request.join.token or api is None:
        return await run.follow(request, watcher.event)
    token = await patiently(lambda: _mint(request, api, bench), bench.clock)
    over: list[asyncio.Task[None]] = []

    def event(event: Event) -> None:
        watcher.event(event)
        if event.step == _JOIN and event.state is State.CHANGED:
            # kubeadm has seen the kubelet's own credential: nobody needs the token any more.
            over.append(asyncio.create_task(_forget(token, api)))

    try:
        secrets = replace(request.join, token=token.text)
        return await run.follow(replace(request, join=secrets), event)
    finally:
        await asyncio.gather(*over)
        await _forget(token, api)


async def patiently(call: Callable[[], Awaitable[T]], clock: Clock) -> T:
    """Ask the cluster, through a restart of its API server.

    One that has just started forbids what it allows a moment later: it has not read the roles yet.
    """
    deadlines: dict[type[TransomError], float] = {}
    while True:
        try:
            return await call()
        except (TemporaryError, PermanentError) as error:
            now = clock.monotonic()
            if now + _POLL_S > deadlines.setdefault(type(error), now + _API_S):
                raise
        await clock.sleep(_POLL_S)


async def _mint(request: Request, api: Api, bench: Bench) -> BootstrapToken:
    token = new_token()
    secret = token_secret(
        token,
        expires=bench.now().astimezone(UTC) + timedelta(seconds=request.deadline_s),
        description=f"transom join of {request.recipe.identity.name}",
    )
    await api.create_secret(secret)
    return token


async def _forget(token: BootstrapToken, api: Api) -> None:
    # It ends by itself as well, so a cluster that is away keeps nobody from going on.
    with suppress(TransomError):
        await api.delete_secret(NAMESPACE, token.secret_name)


async def await_ready(name: str, api: Api, clock: Clock) -> Node:
    """Wait until the Node is Ready, through restarts of the API server; say why where it does not."""
    deadline = clock.monotonic() + _READY_S
    while True:
        node = await patiently(lambda: api.node(name), clock)
        if node is not None and node.ready:
            return node
        if clock.monotonic() + _POLL_S > deadline:
            raise _not_ready(name, node)
        await clock.sleep(_POLL_S)


async def mark_prepared(node: Node, api: Api, clock: Clock) -> None:
    """Let the add-ons' pods run on a node whose host has their programs."""
    if lacking := of_prepared(node):
        await patiently(lambda: api.label_node(node.name, lacking), clock)


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
