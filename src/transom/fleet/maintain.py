"""Maintenance in waves: cordon, drain, run a command, reboot, look again, Ready, uncordon.

Called by `transom maintain`. A Node that was done carries the day as a label, so that a second run
goes on where the first stopped. After the reboot the host is looked at anew: a Windows that is no
longer the one its recipe, images and pause image are for keeps the node cordoned, with the reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from transom.errors import PermanentError, Refused, TransomError
from transom.fleet.apply import Applied, FleetWatcher, Outcome, leave
from transom.fleet.drain import empty, uncordon
from transom.fleet.hosts import each
from transom.fleet.marks import CORDONED, MAINTAINED
from transom.fleet.plan import HostPlan, Standing, host_plan
from transom.fleet.rolling import Rolling
from transom.fleet.run import HostRun
from transom.fleet.survey import FleetDoors, Surveyed, survey_host
from transom.fleet.work import Watcher, await_ready
from transom.kube.api import Api, Node
from transom.model.answers import Survey
from transom.model.fleet import Host, Reboot

_COMMAND_S = 4 * 3600.0
_SAID = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance:
    """What is done to whom; `day` names the run, and who has its mark is not done `again`."""

    surveyed: Surveyed
    doors: FleetDoors
    api: Api
    watcher: FleetWatcher
    command: tuple[str, ...]
    day: str
    again: bool = False
    reboot: bool = True

    @property
    def hosts(self) -> dict[str, Host]:
        """The fleet's hosts by name."""
        return {host.name: host for host in self.surveyed.plan.fleet.hosts}


async def maintain(work: Maintenance) -> None:
    """Go through the waves; the first that fails, or has no room in its pool, is the last."""
    plan = work.surveyed.plan
    nodes = {node.name: node for node in await work.api.nodes()}
    todo: list[str] = []
    for host in plan.hosts:
        problem = _problem(host, nodes.get(_node_name(work, host.name)))
        if problem is not None:
            work.watcher.done(problem)
        elif _is_done(nodes[_node_name(work, host.name)], work):
            work.watcher.done(Applied(host=host.name, outcome=Outcome.UNCHANGED, ready=True))
        else:
            todo.append(host.name)
    rolling = Rolling(
        fleet=plan.fleet,
        api=work.api,
        clock=work.doors.clock,
        do=lambda wave: _wave(work, wave),
        leave=lambda names, error: leave(work.watcher, names, error),
        wait=lambda name, text: work.watcher.host(name).stage(text),
    )
    await rolling.through(todo)


def _problem(host: HostPlan, node: Node | None) -> Applied | None:
    if host.error is not None or host.standing is Standing.REFUSED:
        outcome = Outcome.REFUSED if host.refusals else Outcome.FAILED
        return Applied(host=host.name, outcome=outcome, error=host.error, refusals=host.refusals)
    if node is None:
        error = PermanentError(f"{host.name} has no Node", subject=host.name, hint="apply first")
        return Applied(host=host.name, outcome=Outcome.REFUSED, error=error)
    return None


def _is_done(node: Node, work: Maintenance) -> bool:
    left_over = CORDONED in node.labels
    return node.labels.get(MAINTAINED) == work.day and not work.again and not left_over


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
    await _command_and_reboot(work, host, watcher)
    watcher.stage("look at the host again")
    after = await survey_host(
        work.doors.connect(host), work.surveyed.requests[host.name], bring=work.doors.bring
    )
    looked = host_plan(host, after, work.surveyed.requests[host.name])
    if looked.refusals:
        raise Refused(looked.refusals, subject=f"host {host.name} after its maintenance")
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
                hint="the node stays cordoned; mend it and run the same command again",
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
