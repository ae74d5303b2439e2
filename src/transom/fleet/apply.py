"""Carrying out a fleet's plan: first what disturbs nobody, then wave by wave.

Results are handed to the watcher as they come, so that an interruption loses none; every host of the plan has
one. One host's failure is its own; a failed wave is the last.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from transom.errors import TransomError
from transom.fleet.doors import FleetDoors
from transom.fleet.hosts import each
from transom.fleet.phases import CHANGE, KEEP
from transom.fleet.planning.plan import HostPlan, Standing
from transom.fleet.rolling import Rolling
from transom.fleet.survey import Surveyed
from transom.fleet.work.change import ChangeWork, KeepWork
from transom.fleet.work.cordon import Holder
from transom.fleet.work.host import work_through
from transom.fleet.work.outcome import Applied, FleetWatcher, Outcome, leave
from transom.model.answers import Survey
from transom.model.fleet import Host
from transom.model.records import dataclass

if TYPE_CHECKING:
    from transom.kube.api import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Applying:
    """Everything that carrying out a plan needs; `holder` says whose work it is."""

    surveyed: Surveyed
    doors: FleetDoors
    watcher: FleetWatcher
    holder: Holder
    approve: bool = True
    keep_going: bool = False

    @property
    def hosts(self) -> dict[str, Host]:
        """The fleet's hosts by name."""
        return {host.name: host for host in self.surveyed.plan.fleet.hosts}

    def survey(self, host: str) -> Survey:
        """What a host that has a plan said of itself."""
        found = self.surveyed.surveys[host]
        assert isinstance(found, Survey)
        return found


async def apply_plan(work: Applying) -> None:
    """Do everything that the plan has; whoever cannot be done is told to the watcher."""
    plan = work.surveyed.plan
    for host in plan.standing(Standing.REFUSED, Standing.UNREACHABLE, Standing.FAILED):
        refused = host.standing is Standing.REFUSED
        outcome = Outcome.REFUSED if refused else Outcome.FAILED
        work.watcher.done(
            Applied(host=host.name, outcome=outcome, error=host.error, refusals=host.refusals)
        )
    await _keep(work, plan.standing(Standing.UNCHANGED))
    calm = [host for host in plan.standing(Standing.CHANGES) if not host.rolls]
    await _all(work, calm)
    disturbed = {host.name: host for host in plan.hosts if host.rolls}
    rolling = Rolling(
        fleet=plan.fleet,
        api=work.doors.api,
        clock=work.doors.clock,
        do=lambda wave: _all(work, [disturbed[name] for name in wave]),
        leave=partial(leave, work.watcher),
        wait=lambda name, text: work.watcher.host(name).stage(text),
        keep_going=work.keep_going,
    )
    await rolling.through(disturbed)


async def _all(work: Applying, planned: Sequence[HostPlan]) -> bool:
    """Do these hosts at once; False where one failed."""
    by_name, hosts = {host.name: host for host in planned}, work.hosts

    async def act(host: Host) -> Applied:
        one = _change(work, host, by_name[host.name])
        return await work_through(CHANGE, one, work.watcher)

    ended = await each((hosts[name] for name in by_name), act, parallel=work.doors.parallel)
    return all(isinstance(item, Applied) and item.error is None for item in ended.values())


def _change(work: Applying, host: Host, planned: HostPlan) -> ChangeWork:
    return ChangeWork(
        host=host,
        request=work.surveyed.requests[host.name],
        doors=work.doors,
        holder=work.holder,
        watcher=work.watcher.host(host.name),
        drains=planned.drains,
        reason=planned.disruption.value,
        planned=planned,
        survey=work.survey(host.name),
        entry=work.surveyed.entry,
        fleet=work.surveyed.plan.fleet.name,
        approves=work.approve,
    )


async def _keep(work: Applying, planned: Sequence[HostPlan]) -> None:
    """Hosts with nothing to do: their Nodes are only read, at once, unless one lacks a label or is left cordoned."""
    by_name = {host.name: host for host in planned}
    nodes: dict[str, Node] = {}
    api = work.doors.api
    if api is not None and planned:
        try:
            nodes = {node.name: node for node in await api.nodes()}
        except TransomError as error:
            for host in planned:
                unread = Applied(host=host.name, outcome=Outcome.UNCHANGED, error=error)
                work.watcher.done(unread)
            return

    async def act(host: Host) -> Applied:
        one = _kept(work, host, by_name[host.name])
        one.node = nodes.get(one.node_name)
        return await work_through(KEEP, one, work.watcher)

    hosts = work.hosts
    await each((hosts[name] for name in by_name), act, parallel=work.doors.parallel)


def _kept(work: Applying, host: Host, planned: HostPlan) -> KeepWork:
    return KeepWork(
        host=host,
        request=work.surveyed.requests[host.name],
        doors=work.doors,
        holder=work.holder,
        watcher=work.watcher.host(host.name),
        planned=planned,
        survey=work.survey(host.name),
        fleet=work.surveyed.plan.fleet.name,
    )
