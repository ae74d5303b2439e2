"""Maintenance in waves: cordon, drain, run a command, reboot, look again, Ready, uncordon.

A Node that was done carries the day as a label, so that a second run goes on where the first stopped.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from transom.errors import PermanentError
from transom.fleet.doors import FleetDoors
from transom.fleet.hosts import each
from transom.fleet.phases import MAINTAIN
from transom.fleet.planning.plan import FleetPlan, HostPlan
from transom.fleet.planning.waves import Away, away_of, pools_of, waves_of
from transom.fleet.rolling import Rolling
from transom.fleet.survey import Surveyed
from transom.fleet.work.cordon import MAINTAIN as VERB
from transom.fleet.work.cordon import Holder, cordon_of
from transom.fleet.work.host import work_through
from transom.fleet.work.labels import MAINTAINED
from transom.fleet.work.maintain import MaintenanceWork, hindrances
from transom.fleet.work.outcome import Applied, FleetWatcher, Outcome, leave
from transom.kube.api import Api, Node
from transom.model.answers import Survey
from transom.model.fleet import Host
from transom.model.records import dataclass


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
    holder = Holder.of(work.doors.holder, VERB, work.doors.now())
    rolling = Rolling(
        fleet=work.surveyed.plan.fleet,
        api=work.api,
        clock=work.doors.clock,
        do=lambda wave: _wave(work, wave, holder),
        leave=partial(leave, work.watcher),
        wait=lambda name, text: work.watcher.host(name).stage(text),
    )
    await rolling.through(work.plan.todo)


def _problem(host: HostPlan, node: Node | None) -> Applied | None:
    refusals = hindrances(host)
    if host.error is not None or refusals:
        outcome = Outcome.REFUSED if refusals else Outcome.FAILED
        return Applied(host=host.name, outcome=outcome, error=host.error, refusals=refusals)
    if node is None:
        error = PermanentError(f"{host.name} has no Node", subject=host.name, hint="apply first")
        return Applied(host=host.name, outcome=Outcome.REFUSED, error=error)
    return None


def _is_done(node: Node, day: str) -> bool:
    return node.labels.get(MAINTAINED) == day and cordon_of(node) is None


async def _wave(work: Maintenance, wave: Sequence[str], holder: Holder) -> bool:
    async def act(host: Host) -> Applied:
        return await work_through(MAINTAIN, _maintenance(work, host, holder), work.watcher)

    chosen = (work.hosts[name] for name in wave)
    ended = await each(chosen, act, parallel=work.doors.parallel)
    return all(isinstance(item, Applied) and item.error is None for item in ended.values())


def _maintenance(work: Maintenance, host: Host, holder: Holder) -> MaintenanceWork:
    before = work.surveyed.surveys[host.name]
    assert isinstance(before, Survey)
    return MaintenanceWork(
        host=host,
        request=work.surveyed.requests[host.name],
        doors=work.doors,
        holder=holder,
        watcher=work.watcher.host(host.name),
        drains=True,
        reason=work.command[0],
        command=work.command,
        day=work.day,
        reboots=work.reboot,
        before=before,
    )
