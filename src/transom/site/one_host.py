"""One machine by its address, without a fleet's file: it is met, and then it is a fleet of one.

Survey, plan and phases are those of every fleet; here is only what comes before them, because nobody has
written down yet what the machine is, and what is said of the result. Prints nothing.
"""

from collections.abc import Callable
from dataclasses import replace

from transom.errors import Refused, UsageError
from transom.fleet.apply import Applying, apply_plan
from transom.fleet.cluster import ClusterEntry, read_entry
from transom.fleet.doors import FleetDoors
from transom.fleet.on_host.program import NodeProgram
from transom.fleet.on_host.run import Connect
from transom.fleet.one_host import Wish, fleet_of_one
from transom.fleet.planning.ownership import JOURNAL
from transom.fleet.reset import reset_fleet
from transom.fleet.survey import Surveyed, survey_fleet
from transom.fleet.work.cordon import Holder
from transom.fleet.work.outcome import Applied, FleetWatcher, Watcher
from transom.fleet.work.reset import Confirm
from transom.kube.api import Api, Node
from transom.model.answers import Inventory, PlannedStep
from transom.model.fleet import Fleet
from transom.model.lock import Lock
from transom.model.recipe import Recipe
from transom.model.records import dataclass
from transom.model.request import Verb

RESET_NEEDED = "reset-needed"


@dataclass(frozen=True, slots=True, kw_only=True)
class OneHost:
    """The machine, what is wished of it, and everything the work reaches for.

    `pin` has the sums of everything that the fleet of one needs. The API of a cluster is needed.
    """

    wish: Wish
    connect: Connect
    doors: FleetDoors
    pin: Callable[[Fleet], Lock]
    watcher: FleetWatcher

    @property
    def api(self) -> Api:
        """The cluster."""
        assert self.doors.api is not None
        return self.doors.api


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A node that is Ready; `before` is the version it came from, `anew` that it was joined again."""

    node: str
    applied: Applied
    recipe: Recipe
    before: str = ""
    anew: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """A node with a journal; `is_new` is False where it had one. `planned` is what its recipe would change."""

    node: Node
    is_new: bool
    planned: tuple[PlannedStep, ...]


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


async def join(one: OneHost) -> Changed:
    """Make the machine a Ready node, or bring one that is to its recipe."""
    met = await _meet(one)
    surveyed = await _surveyed(one, met, Verb.JOIN)
    return await _changed(one, surveyed, "join")


async def upgrade(one: OneHost, *, may_join_anew: bool = False) -> Changed:
    """Bring a node to the version that the wish names, or to the cluster's.

    One whose runtime ends with its version is drained, reset and joined again, only where allowed.
    """
    met = await _meet(one, must_be_node=True)
    surveyed = await _surveyed(one, met, Verb.UPGRADE)
    ids = {refusal.id for refusal in surveyed.plan.hosts[0].refusals}
    if not (may_join_anew and ids == {RESET_NEEDED}):
        return replace(await _changed(one, surveyed, "upgrade"), before=met.before)
    line, names = _OneLine(one.watcher, one.wish.address), (met.fleet.hosts[0].name,)
    await reset_fleet(met.fleet, names, one.doors, watcher=line)
    line.result()
    surveyed = await _surveyed(one, await _meet(one), Verb.JOIN)
    return replace(await _changed(one, surveyed, "upgrade"), before=met.before, anew=True)


async def adopt(one: OneHost) -> Adopted:
    """Record a node as it is, and say what differs from a recipe of its own version."""
    met = await _meet(one)
    name = met.fleet.hosts[0].node_name
    node = await one.api.node(name)
    if node is None:
        raise UsageError(
            f"the cluster has no Node {name}",
            subject=name,
            hint="use the kubeconfig of the cluster it belongs to, or join the host",
        )
    wish = replace(one.wish, kubernetes=node.kubelet)
    met = replace(met, fleet=fleet_of_one(wish, met.entry, met.inventory))
    surveyed = await _surveyed(one, met, Verb.ADOPT)
    is_new = any(step.step != JOURNAL for step in surveyed.plan.hosts[0].steps)
    await _changed(one, surveyed, "adopt")
    after = await _surveyed(one, met, Verb.UPGRADE)
    return Adopted(node=node, is_new=is_new, planned=after.plan.hosts[0].steps)


async def reset(one: OneHost, *, drains: bool = True, confirm: Confirm | None = None) -> WasReset:
    """Have the pods leave, undo everything that the journal of a host without a fleet has, delete its Node.

    With `confirm`, which is shown what that is, also what looks like a node's and is in no journal.
    """
    line = _OneLine(one.watcher, one.wish.address)
    line.host("").stage("read the cluster")
    entry = await read_entry(one.api)
    line.host("").stage("connect to the host")
    session = await one.connect()
    try:
        program = NodeProgram(session)
        if confirm is not None:
            await program.bring(one.doors.bring())
        elif not await program.is_there():
            await program.remove_unfinished()
            return WasReset(name=one.wish.address, undone=(), was_there=False, node_deleted=False)
        inventory = await program.inventory()
    finally:
        await session.close()
    fleet = fleet_of_one(one.wish, entry, inventory)
    (host,) = fleet.hosts
    works = await reset_fleet(
        fleet, (host.name,), one.doors, watcher=line, drains=drains, confirm=confirm
    )
    line.result()
    work = works[host.name]
    return WasReset(
        name=work.node_name,
        undone=work.undone,
        was_there=work.is_there,
        node_deleted=work.node_deleted,
        given_back=work.given_back,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Met:
    """A machine that was asked what it is, the fleet of one that this makes, and the version it has."""

    entry: ClusterEntry
    inventory: Inventory
    fleet: Fleet
    before: str = ""


async def _meet(one: OneHost, *, must_be_node: bool = False) -> _Met:
    """Read the cluster, bring the node program, and ask the machine what it is."""
    line = one.watcher.host(one.wish.address)
    line.stage("read the cluster")
    entry = await read_entry(one.api)
    line.stage("connect to the host")
    session = await one.connect()
    try:
        program = NodeProgram(session)
        before = await _version(program, one.wish.address) if must_be_node else ""
        line.stage("bring the node program")
        await program.bring(one.doors.bring())
        inventory = await program.inventory()
    finally:
        await session.close()
    fleet = fleet_of_one(one.wish, entry, inventory)
    return _Met(entry=entry, inventory=inventory, fleet=fleet, before=before)


async def _version(program: NodeProgram, address: str) -> str:
    """The version of a node that Transom answers for; raise where it is none."""
    status = await program.status() if await program.is_there() else None
    if status is None or not (status.joined or status.adopted):
        raise UsageError(
            f"{address} is no node of Transom's, so there is nothing to upgrade",
            subject=address,
            hint=f"`transom join {address}`, or `transom adopt {address}` where somebody else made it",
        )
    return status.kubernetes


async def _surveyed(one: OneHost, met: _Met, verb: Verb) -> Surveyed:
    line = one.watcher.host(one.wish.address)
    line.stage("pin the artifacts")
    lock = one.pin(met.fleet)
    line.stage("compare the host with its recipe")
    return await survey_fleet(met.fleet, lock, one.doors, verb=verb, entry=met.entry)


async def _changed(one: OneHost, surveyed: Surveyed, verb: str) -> Changed:
    """Carry the plan out; raise why the machine is not as planned."""
    if surveyed.plan.checked.refusals:
        raise Refused(surveyed.plan.checked.refusals, subject=f"the cluster of {one.wish.address}")
    line = _OneLine(one.watcher, one.wish.address)
    holder = Holder.of(one.doors.holder, verb, one.doors.now())
    await apply_plan(Applying(surveyed=surveyed, doors=one.doors, watcher=line, holder=holder))
    (request,) = surveyed.requests.values()
    return Changed(node=request.recipe.join.node_name, applied=line.result(), recipe=request.recipe)


class _OneLine:
    """Shows the only host under the address that the person gave, and keeps what came of it."""

    def __init__(self, watcher: FleetWatcher, address: str) -> None:
        self._watcher = watcher
        self._address = address
        self._applied: Applied | None = None

    def host(self, name: str) -> Watcher:
        """The one there is."""
        del name
        return self._watcher.host(self._address)

    def done(self, applied: Applied) -> None:
        """Keep it."""
        self._applied = applied
        self._watcher.done(replace(applied, host=self._address))

    def result(self) -> Applied:
        """What came of the host; raise why it is not as planned."""
        assert self._applied is not None
        if self._applied.refusals:
            raise Refused(self._applied.refusals, subject=f"host {self._applied.host}")
        if self._applied.error is not None:
            raise self._applied.error
        return self._applied
