"""Work on one host: what is known of it, what is learnt on the way, and the turns that every kind of work has.

Each turn looks first and may be taken again; `phases` puts them in order.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from transom.errors import Refused, TemporaryError, TransomError
from transom.fleet.doors import FleetDoors
from transom.fleet.on_host.run import HostRun
from transom.fleet.turning import Phase, Turn, Turning, Waiting
from transom.fleet.work.cordon import Holder, cordon_of, hand_back
from transom.fleet.work.cordon import cordon as cordon_node
from transom.fleet.work.cordon import uncordon as uncordon_node
from transom.fleet.work.drain import drain as drain_node
from transom.fleet.work.outcome import Applied, FleetWatcher, Outcome, Watcher
from transom.kube.api import Api, Node
from transom.model.fleet import Host
from transom.model.request import Request, run_name

W = TypeVar("W", bound="HostWork")

_NETWORK = "network"
_READY_S = 300.0


@dataclass(kw_only=True)
class HostWork(ABC):
    """One host that is worked on; `drains` where its pods must leave first, for that `reason`."""

    host: Host
    request: Request
    doors: FleetDoors
    holder: Holder
    watcher: Watcher
    drains: bool = False
    reason: str = ""
    run: HostRun | None = field(default=None, init=False)
    node: Node | None = field(default=None, init=False)
    taken_over: str | None = field(default=None, init=False)
    notes: tuple[str, ...] = field(default=(), init=False)

    @property
    def node_name(self) -> str:
        """What its Node is called."""
        return self.request.recipe.join.node_name

    @property
    def api(self) -> Api:
        """The cluster, for phases that are left out without one."""
        assert self.doors.api is not None
        return self.doors.api

    @property
    def on_host(self) -> HostRun:
        """The session and the run on the host, for phases after it was connected to."""
        assert self.run is not None
        return self.run

    @property
    def brings(self) -> bool:
        """Whether the node program is brought to the host."""
        return True

    @property
    def cordons(self) -> bool:
        """Whether the Node takes no new pods meanwhile."""
        return self.drains and self.doors.api is not None

    @property
    def evicts(self) -> bool:
        """Whether its pods have to leave."""
        return self.cordons

    @abstractmethod
    def applied(self) -> Applied:
        """What came of it where every phase came to its end."""

    async def close(self) -> None:
        """Leave the host, however the work ended."""
        if self.run is not None:
            await self.run.session.close()


async def work_through(phases: Sequence[Phase[W]], work: W, watcher: FleetWatcher) -> Applied:
    """Turn one host's phases to their end, whatever that is, and tell it.

    Where this is interrupted the host is asked to stop after the step it is at.
    """
    clock = work.doors.clock
    start = clock.monotonic()
    try:
        await Turning(phases, work, clock, tell=work.watcher.stage).to_the_end()
        applied = work.applied()
    except TransomError as error:
        refusals = error.refusals if isinstance(error, Refused) else ()
        applied = Applied(
            host=work.host.name, outcome=Outcome.FAILED, error=error, refusals=refusals
        )
    except asyncio.CancelledError:
        if work.run is not None:
            await asyncio.shield(work.run.stop())
        raise
    finally:
        await work.close()
    applied = replace(applied, elapsed_s=clock.monotonic() - start)
    watcher.done(applied)
    return applied


def has_api(work: HostWork) -> bool:
    """Whether there is a cluster to ask."""
    return work.doors.api is not None


def api_s(_work: HostWork) -> float:
    """As long as an API server takes to start again."""
    return 60.0


async def connect(work: HostWork) -> Turn:
    """Have a session with the host."""
    if work.run is None:
        to_host, verb = work.doors.connect(work.host), work.request.verb
        session = await to_host()
        name = run_name(work.doors.now(), verb.value)
        work.run = HostRun(to_host, session, work.doors.clock, name)
    return None


async def bring(work: HostWork) -> Turn:
    """Have this version's node program and its Python on the host."""
    await work.on_host.program.bring(work.doors.bring())
    return None


async def cordon(work: HostWork) -> Turn:
    """Let the Node take no new pods."""
    taken_over = await cordon_node(
        work.api, work.node_name, work.holder, reason=work.reason, now=work.doors.now()
    )
    work.taken_over = work.taken_over or taken_over
    return None


async def drain(work: HostWork) -> Turn:
    """Have the pods leave that can."""
    return await drain_node(work.api, work.node_name, work.host.upgrade.drain)


async def let_go(work: HostWork, _error: TransomError) -> bool:
    """Have the Node as it was before: nothing was changed on its host, or it was rolled back."""
    try:
        node = await work.api.node(work.node_name)
        if node is not None:
            await hand_back(work.api, node, work.holder, work.taken_over)
    except TransomError:
        work.watcher.stage(f"{work.node_name} stays cordoned, because the cluster does not answer")
    return False


async def ready(work: HostWork) -> Turn:
    """See the Node Ready."""
    node = await work.api.node(work.node_name)
    if node is None or not node.ready:
        return Waiting(error=_not_ready(work.node_name, node))
    work.node = node
    return None


async def uncordon(work: HostWork) -> Turn:
    """Let the Node take pods again, where it may."""
    node = await work.api.node(work.node_name)
    if node is None or await uncordon_node(work.api, node, work.holder):
        return None
    held = cordon_of(node)
    if held is not None:
        work.notes = (*work.notes, f"{node.name} stays cordoned: {held.said}")
    return None


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


CONNECT = Phase(name="connect", says="connect to the host", turn=connect)
BRING = Phase(
    name="bring", says="bring the node program", when=lambda work: work.brings, turn=bring
)
CORDON = Phase(
    name="cordon",
    says="cordon the node",
    when=lambda work: work.cordons,
    turn=cordon,
    deadline_s=api_s,
)
DRAIN = Phase(
    name="drain",
    says="let its pods leave",
    when=lambda work: work.evicts,
    turn=drain,
    deadline_s=lambda work: work.host.upgrade.drain.timeout_s,
    give_up=let_go,
)
READY = Phase(
    name="ready",
    says="wait until the node is Ready",
    when=has_api,
    turn=ready,
    deadline_s=lambda _work: _READY_S,
)
UNCORDON = Phase(name="uncordon", when=has_api, turn=uncordon, deadline_s=api_s)
