"""Carrying out a fleet's plan: first what disturbs nobody, then wave by wave.

Called by `transom apply` with a plan that a person has seen. Results are handed to the watcher as they
come, so that an interruption loses none. One host's failure is its own; a failed wave is the last.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from typing import Protocol

from transom.errors import PermanentError, TemporaryError, TransomError
from transom.fleet.approve import Asker, approve_serving, names_of
from transom.fleet.carry import carry, clear
from transom.fleet.drain import empty, uncordon
from transom.fleet.effective import node_lacks
from transom.fleet.hosts import each
from transom.fleet.marks import CORDONED, of_fleet, of_prepared
from transom.fleet.plan import HostPlan, Standing
from transom.fleet.rolling import Rolling
from transom.fleet.run import Clock, HostRun
from transom.fleet.survey import FleetDoors, Surveyed
from transom.fleet.work import Bench, Watcher, await_ready, bring_to_recipe, patiently
from transom.kube.api import Api, Node
from transom.model.answers import PlannedChange, Survey
from transom.model.fleet import Host, Reboot
from transom.model.problem import Refusal
from transom.model.records import dataclass
from transom.model.request import Request, Verb, run_name
from transom.recipe.node_labels import given_labels

_BRINGING = ("artifacts", "upgrade")


class Outcome(StrEnum):
    """How it ended for a host."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    RESET = "reset"
    FAILED = "failed"
    REFUSED = "refused"
    NOT_STARTED = "not started"


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What came of one host; `error` is why it is not as planned.

    `not_applied` is what the fleet says and the node still does not have.
    """

    host: str
    outcome: Outcome
    changed: tuple[str, ...] = ()
    ready: bool | None = None
    kubelet: str = ""
    notes: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    error: TransomError | None = None
    elapsed_s: float = 0.0
    not_applied: tuple[PlannedChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changed:
    """A host after its run: which steps changed something, where it was reached, what it still lacks."""

    steps: tuple[str, ...]
    peer: str
    not_applied: tuple[PlannedChange, ...]


class FleetWatcher(Protocol):
    """Whoever looks on: one watcher per host, and each host's end."""

    def host(self, name: str) -> Watcher:
        """The watcher of a host whose work begins."""
        ...

    def done(self, applied: Applied) -> None:
        """A host's end."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Applying:
    """Everything that carrying out a plan needs."""

    surveyed: Surveyed
    doors: FleetDoors
    watcher: FleetWatcher
    approve: bool = True
    keep_going: bool = False

    @property
    def hosts(self) -> dict[str, Host]:
        """The fleet's hosts by name."""
        return {host.name: host for host in self.surveyed.plan.fleet.hosts}


async def apply_plan(work: Applying) -> None:
    """Do everything that the plan has; whoever cannot be done is told to the watcher."""
    plan = work.surveyed.plan
    for host in plan.standing(Standing.REFUSED, Standing.UNREACHABLE, Standing.FAILED):
        refused = host.standing is Standing.REFUSED
        outcome = Outcome.REFUSED if refused else Outcome.FAILED
        work.watcher.done(
            Applied(host=host.name, outcome=outcome, error=host.error, refusals=host.refusals)
        )
    await _look_after_unchanged(work, plan.standing(Standing.UNCHANGED))
    calm = [host for host in plan.standing(Standing.CHANGES) if not host.rolls]
    await _all(work, calm)
    disturbed = {host.name: host for host in plan.hosts if host.rolls}
    rolling = Rolling(
        fleet=plan.fleet,
        api=work.doors.api,
        clock=work.doors.clock,
        do=lambda wave: _all(work, [disturbed[name] for name in wave]),
        leave=lambda names, error: leave(work.watcher, names, error),
        wait=lambda name, text: work.watcher.host(name).stage(text),
        keep_going=work.keep_going,
    )
    await rolling.through(disturbed)


def leave(watcher: FleetWatcher, names: Iterable[str], error: TransomError) -> None:
    """Tell of hosts that are not begun, and why."""
    for name in names:
        watcher.done(Applied(host=name, outcome=Outcome.NOT_STARTED, error=error))


async def _all(work: Applying, planned: Sequence[HostPlan]) -> bool:
    """Do these hosts at once; False where one failed."""
    by_name, hosts = {host.name: host for host in planned}, work.hosts

    async def act(host: Host) -> Applied:
        return await _apply_host(work, host, by_name[host.name])

    ended = await each((hosts[name] for name in by_name), act, parallel=work.doors.parallel)
    return all(isinstance(item, Applied) and item.error is None for item in ended.values())


async def _apply_host(work: Applying, host: Host, planned: HostPlan) -> Applied:
    """One host to its end, whatever that is."""
    clock = work.doors.clock
    start, watcher = clock.monotonic(), work.watcher.host(host.name)
    try:
        applied = await _work(work, host, planned, watcher)
    except TransomError as error:
        applied = Applied(host=host.name, outcome=Outcome.FAILED, error=error)
    applied = replace(applied, elapsed_s=clock.monotonic() - start)
    work.watcher.done(applied)
    return applied


async def _work(work: Applying, host: Host, planned: HostPlan, watcher: Watcher) -> Applied:
    api, request = work.doors.api, work.surveyed.requests[host.name]
    node_name = request.recipe.join.node_name
    if planned.drains and api is not None:
        watcher.stage("cordon the node and let its pods leave")
        await empty(api, node_name, host.upgrade.drain, work.doors.clock)
    since = await api.time() if api is not None and planned.joins else 0
    try:
        changed = await _change(work, host, planned, watcher)
    except PermanentError:
        if planned.drains and api is not None and request.verb is Verb.UPGRADE:
            await _let_go(api, node_name, work.doors.clock)
        raise
    if api is None:
        return Applied(
            host=host.name,
            outcome=Outcome.CHANGED,
            changed=changed.steps,
            not_applied=changed.not_applied,
        )
    watcher.stage("wait until the node is Ready")
    node = await await_ready(node_name, api, work.doors.clock)
    labels = given_labels(host.labels) | of_fleet(node, work.surveyed.plan.fleet.name)
    if request.verb is not Verb.ADOPT:
        labels |= of_prepared(node)
    if any(node.labels.get(key) != value for key, value in labels.items()):
        await patiently(lambda: api.label_node(node_name, labels), work.doors.clock)
    notes: tuple[str, ...] = ()
    if planned.joins and work.approve and work.surveyed.entry.kubelet.get("serverTLSBootstrap"):
        watcher.stage("approve the serving certificate")
        asker = _asker(work, host, changed.peer, since)
        notes = await approve_serving(api, asker, work.doors.clock)
    await patiently(lambda: uncordon(api, node), work.doors.clock)
    return Applied(
        host=host.name,
        outcome=Outcome.CHANGED,
        changed=changed.steps,
        ready=node.ready,
        kubelet=node.kubelet,
        notes=notes,
        not_applied=(*changed.not_applied, *_lacks(host, request, node, labels)),
    )


def _lacks(
    host: Host, request: Request, node: Node, given: Mapping[str, str]
) -> tuple[PlannedChange, ...]:
    """What the Node does not show, with the labels that it was given since it was read."""
    if request.verb is Verb.ADOPT:
        return ()
    return node_lacks(host, request.recipe, replace(node, labels={**node.labels, **given}))


async def _let_go(api: Api, name: str, clock: Clock) -> None:
    """Let a node that was rolled back take pods again, if it is Ready as it was before."""
    with suppress(TransomError):
        node = await patiently(lambda: api.node(name), clock)
        if node is not None and node.ready:
            await uncordon(api, node)


async def _change(work: Applying, host: Host, planned: HostPlan, watcher: Watcher) -> _Changed:
    """Bring the host to its recipe."""
    doors = work.doors
    request = work.surveyed.requests[host.name]
    if doors.api is None and doors.token is not None and request.join is not None:
        request = replace(request, join=replace(request.join, token=await doors.token()))
    watcher.stage("connect to the host")
    name = run_name(doors.now(), request.verb.value)
    run = HostRun(doors.connect(host), await doors.connect(host)(), doors.clock, name)
    peer = run.session.peer
    try:
        watcher.stage("bring the node program")
        await run.program.bring(doors.bring())
        lacking = _lacking(work.surveyed.surveys[host.name])
        if doors.holdings is not None and lacking:
            watcher.stage("carry artifacts to the host")
            await carry(run.session, request.recipe.artifacts, lacking, doors.holdings)
        changed = await bring_to_recipe(
            request,
            run,
            Bench(api=doors.api, clock=doors.clock, now=doors.now),
            watcher=watcher,
            joins=planned.joins,
            may_reboot=host.reboot is Reboot.ALLOWED,
        )
        if doors.holdings is not None and lacking:
            await clear(run.session)
        left = await _left(work, host, run) if planned.not_applied else ()
        return _Changed(steps=changed, peer=peer, not_applied=left)
    finally:
        await run.session.close()


async def _left(work: Applying, host: Host, run: HostRun) -> tuple[PlannedChange, ...]:
    """Look again at what the kubelet did not run with: an upgrade may have brought it."""
    before, request = work.surveyed.surveys[host.name], work.surveyed.requests[host.name]
    if isinstance(before, TransomError) or not before.not_applied or request.verb is Verb.ADOPT:
        return ()
    found = await run.program.survey(request)
    return before.not_applied if found is None else found.not_applied


def _lacking(survey: Survey | TransomError) -> tuple[str, ...]:
    """The artifacts that the host said it has not, or of other bytes."""
    if isinstance(survey, TransomError):
        return ()
    steps = (step for step in survey.plan.steps if step.step in _BRINGING)
    return tuple(change.subject for step in steps for change in step.drift)


def _asker(work: Applying, host: Host, peer: str, since: int) -> Asker:
    """What the operator knows the node by: never what the host says of itself."""
    entry, node = work.surveyed.entry, work.surveyed.requests[host.name].recipe.join.node_name
    written = host.kubelet.extra_args.get("node-ip", "").split(",")
    return Asker(
        node=node,
        names=names_of(node, (host.address, peer, *written)),
        since=since,
        endpoint=entry.endpoint,
        services=entry.service_cidrs,
        domain=str(entry.kubelet.get("clusterDomain") or ""),
    )


async def _look_after_unchanged(work: Applying, planned: Sequence[HostPlan]) -> None:
    """Hosts with nothing to do: their Nodes are only read, unless one lacks its mark or is left cordoned."""
    api = work.doors.api
    nodes = {node.name: node for node in await api.nodes()} if api is not None and planned else {}
    for host in planned:
        name = work.surveyed.requests[host.name].recipe.join.node_name
        work.watcher.done(await _unchanged(work, host, nodes.get(name)))


async def _unchanged(work: Applying, host: HostPlan, node: Node | None) -> Applied:
    api, fleet = work.doors.api, work.surveyed.plan.fleet.name
    if api is None:
        return Applied(host=host.name, outcome=Outcome.UNCHANGED, not_applied=host.not_applied)
    if node is None or not node.ready:
        said = "it has no Node" if node is None else node.problem or "its kubelet is silent"
        return Applied(
            host=host.name,
            outcome=Outcome.UNCHANGED,
            ready=False,
            error=TemporaryError(
                f"{host.name} is as planned, but not Ready: {said}",
                subject=host.name,
                hint=f"`transom doctor --host {host.name}` looks for the cause",
            ),
        )
    unchanged = Applied(
        host=host.name,
        outcome=Outcome.UNCHANGED,
        ready=True,
        kubelet=node.kubelet,
        not_applied=host.not_applied,
    )
    lacking = of_fleet(node, fleet)
    prepared = of_prepared(node) if _has_programs(work, host) else {}
    try:
        if lacking or prepared:
            await api.label_node(node.name, lacking | prepared)
        if CORDONED in node.labels:
            await uncordon(api, node)
    except TransomError as error:
        return replace(unchanged, error=error)
    notes = (f"{node.name} is marked as a node of fleet {fleet}",) if lacking else ()
    return replace(unchanged, notes=notes)


def _has_programs(work: Applying, host: HostPlan) -> bool:
    """Whether a host that is as planned has what the add-ons' pods run: an adoption brings none of it."""
    survey = work.surveyed.surveys[host.name]
    brought = isinstance(survey, Survey) and bool(survey.inventory.installed)
    return brought and work.surveyed.requests[host.name].verb is not Verb.ADOPT
