"""Maintenance in waves: cordon, drain, run a command, reboot, look again, Ready, uncordon.

Called by `transom maintain`. A Node that was done carries the day as a label, so that a second run
goes on where the first stopped. After the reboot the host is looked at anew: a Windows that is no
longer the one its recipe, images and pause image are for keeps the node cordoned, with the reason.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from transom.errors import PermanentError, Refused, TransomError
from transom.fleet.apply import Applied, FleetWatcher, Outcome, leave
from transom.fleet.drain import empty, uncordon
from transom.fleet.hosts import each
from transom.fleet.marks import CORDONED, MAINTAINED
from transom.fleet.plan import FleetPlan, HostPlan, host_plan
from transom.fleet.rolling import Rolling
from transom.fleet.run import HostRun
from transom.fleet.survey import FleetDoors, Surveyed, survey_host
from transom.fleet.waves import Away, away_of, pools_of, waves_of
from transom.fleet.work import Watcher, await_ready
from transom.kube.api import Api, Node
from transom.model.answers import Survey
from transom.model.fleet import Host, Reboot
from transom.model.problem import Refusal
from transom.model.records import dataclass

_COMMAND_S = 4 * 3600.0
_SAID = 500
_WAITS_FOR_UPGRADE = "upgrade-needed"
_STAYS = "the node stays cordoned; mend it and run the same command again"


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenancePlan:
    """Who is `todo` and in which waves, who was `done` before, and who cannot be: `left`."""

    todo: tuple[str, ...]
    done: tuple[str, ...]
    left: tuple[Applied, ...]
    waves: tuple[tuple[str, ...], ...]
    away: Mapping[str, Away]

    @property
    def held_back(self) -> tuple[str, ...]:
        """Those for whom nodes that are away leave no room."""
        begun = {name for wave in self.waves for name in wave}
        return tuple(name for name in self.todo if name not in begun)


def plan_maintenance(
    plan: FleetPlan, nodes: Iterable[Node], *, day: str, again: bool
) -> MaintenancePlan:
    """Who is maintained now; whoever carries the mark of the day is not, unless `again`. Pure."""
    known = {node.name: node for node in nodes}
    of = {host.name: known.get(host.node_name) for host in plan.fleet.hosts}
    left = [found for host in plan.hosts if (found := _problem(host, of[host.name]))]
    fit = {host.name: of[host.name] for host in plan.hosts}
    for applied in left:
        del fit[applied.host]
    done = [name for name, node in fit.items() if node and not again and _is_done(node, day)]
    todo = tuple(name for name in fit if name not in done)
    pools = [{*pool.hosts} for pool in pools_of(plan.fleet)]
    away = {
        name: why
        for name, why in away_of(plan.fleet, known.values()).items()
        if any(name in pool and pool & {*todo} for pool in pools)
    }
    return MaintenancePlan(
        todo=todo,
        done=tuple(done),
        left=tuple(left),
        waves=waves_of(plan.fleet, todo, away),
        away=away,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance:
    """What is done to whom; `day` names the run, and is the mark of who was done."""

    plan: MaintenancePlan
    surveyed: Surveyed
    doors: FleetDoors
    api: Api
    watcher: FleetWatcher
    command: tuple[str, ...]
    day: str
    reboot: bool = True

    @property
    def hosts(self) -> dict[str, Host]:
        """The fleet's hosts by name."""
        return {host.name: host for host in self.surveyed.plan.fleet.hosts}


async def maintain(work: Maintenance) -> None:
    """Go through the waves; the first that fails, or has no room in its pool, is the last."""
    for applied in work.plan.left:
        work.watcher.done(applied)
    for name in work.plan.done:
        work.watcher.done(Applied(host=name, outcome=Outcome.UNCHANGED, ready=True))
    rolling = Rolling(
        fleet=work.surveyed.plan.fleet,
        api=work.api,
        clock=work.doors.clock,
        do=lambda wave: _wave(work, wave),
        leave=lambda names, error: leave(work.watcher, names, error),
        wait=lambda name, text: work.watcher.host(name).stage(text),
    )
    await rolling.through(work.plan.todo)


def _problem(host: HostPlan, node: Node | None) -> Applied | None:
    refusals = _standing_in_the_way(host)
    if host.error is not None or refusals:
        outcome = Outcome.REFUSED if refusals else Outcome.FAILED
        return Applied(host=host.name, outcome=outcome, error=host.error, refusals=refusals)
    if node is None:
        error = PermanentError(f"{host.name} has no Node", subject=host.name, hint="apply first")
        return Applied(host=host.name, outcome=Outcome.REFUSED, error=error)
    return None


def _standing_in_the_way(host: HostPlan) -> tuple[Refusal, ...]:
    """Why the host cannot be maintained; a node that waits for its upgrade can."""
    return tuple(refusal for refusal in host.refusals if refusal.id != _WAITS_FOR_UPGRADE)


def _is_done(node: Node, day: str) -> bool:
    return node.labels.get(MAINTAINED) == day and CORDONED not in node.labels


def _node_name(work: Maintenance, host: str) -> str:
    return work.surveyed.requests[host].recipe.join.node_name


async def _wave(work: Maintenance, wave: Sequence[str]) -> bool:
    async def act(host: Host) -> Applied:
        start, watcher = work.doors.clock.monotonic(), work.watcher.host(host.name)
        try:
            applied = await _maintain_host(work, host, watcher)
        except TransomError as error:
            refusals = error.refusals if isinstance(error, Refused) else ()
            applied = Applied(
                host=host.name, outcome=Outcome.FAILED, error=error, refusals=refusals
            )
        applied = replace(applied, elapsed_s=work.doors.clock.monotonic() - start)
        work.watcher.done(applied)
        return applied

    chosen = (work.hosts[name] for name in wave)
    ended = await each(chosen, act, parallel=work.doors.parallel)
    return all(isinstance(item, Applied) and item.error is None for item in ended.values())


async def _maintain_host(work: Maintenance, host: Host, watcher: Watcher) -> Applied:
    api, clock, node_name = work.api, work.doors.clock, _node_name(work, host.name)
    watcher.stage("cordon the node and let its pods leave")
    await empty(api, node_name, host.upgrade.drain, clock)
    watcher.stage("run the command")
    try:
        await _command_and_reboot(work, host, watcher)
    except TransomError as error:
        error.hint = error.hint or _STAYS
        raise
    watcher.stage("look at the host again")
    after = await survey_host(
        work.doors.connect(host), work.surveyed.requests[host.name], bring=work.doors.bring
    )
    looked = host_plan(host, after, work.surveyed.requests[host.name])
    refusals = _standing_in_the_way(looked)
    if refusals:
        raise Refused(refusals, subject=f"host {host.name} after its maintenance")
    watcher.stage("wait until the node is Ready")
    node = await await_ready(node_name, api, clock)
    await uncordon(api, node)
    await api.label_node(node_name, {MAINTAINED: work.day})
    return Applied(
        host=host.name,
        outcome=Outcome.CHANGED,
        ready=True,
        kubelet=node.kubelet,
        notes=_notes(work, host, after),
    )


async def _command_and_reboot(work: Maintenance, host: Host, watcher: Watcher) -> None:
    connect = work.doors.connect(host)
    run = HostRun(connect, await connect(), work.doors.clock, "maintain")
    try:
        done = await run.program.command(work.command, timeout_s=_COMMAND_S)
        if done.code != 0:
            said = done.output.strip()[-_SAID:]
            raise PermanentError(
                f"the command ended with {done.code} on {host.name}: {said}",
                subject=host.name,
                hint=_STAYS,
            )
        if work.reboot and host.reboot is Reboot.ALLOWED:
            watcher.stage("reboot the host")
            await run.reboot()
    finally:
        await run.session.close()


def _notes(work: Maintenance, host: Host, after: Survey) -> tuple[str, ...]:
    before = work.surveyed.surveys[host.name]
    if not isinstance(before, Survey) or before.inventory.windows == after.inventory.windows:
        return ()
    old, new = before.inventory.windows, after.inventory.windows
    return (f"{host.name}: Windows {old.build}.{old.revision} is now {new.build}.{new.revision}",)
