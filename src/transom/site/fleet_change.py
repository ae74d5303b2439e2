"""Changing a fleet: look at it, have the plan agreed to, and carry it out. Prints nothing and asks nobody itself."""

from collections.abc import Callable
from dataclasses import field

from transom.errors import Refused, TransomError, UsageError
from transom.fleet.addon_change import Change as AddonChange
from transom.fleet.apply import Applying, apply_plan
from transom.fleet.doors import FleetDoors
from transom.fleet.maintain import Maintenance, MaintenancePlan, maintain, plan_maintenance
from transom.fleet.planning.plan import FleetPlan, Standing
from transom.fleet.planning.waves import nothing_begun
from transom.fleet.survey import survey_fleet
from transom.fleet.work.cordon import Holder
from transom.fleet.work.outcome import Applied, FleetWatcher, Watcher
from transom.model.fleet import Fleet
from transom.model.lock import Lock
from transom.model.problem import Refusal
from transom.model.records import dataclass
from transom.model.request import Verb


@dataclass(frozen=True)
class Site:
    """The fleet that is meant, the hosts of it that were selected, its lock and its doors."""

    fleet: Fleet
    hosts: tuple[str, ...]
    lock: Lock
    doors: FleetDoors


@dataclass(frozen=True, kw_only=True)
class FleetChange:
    """What is done to the hosts: the request's `verb`, and the command's `name`, which cordons carry."""

    verb: Verb
    name: str
    approve: bool = True
    keep_going: bool = False
    addons: bool = False


@dataclass(frozen=True, kw_only=True)
class AddonsApplied:
    """What was changed in the cluster for the hosts, and why it does not run."""

    changes: tuple[AddonChange, ...] = ()
    error: TransomError | None = None


@dataclass(frozen=True, kw_only=True)
class MaintenanceWish:
    """The command to run, the day that is written on who was done, and whether hosts reboot after it."""

    command: tuple[str, ...]
    day: str
    reboot: bool = True
    again: bool = False


def _refuse_paused(fleet: Fleet) -> None:
    """Refuse to change the hosts of a fleet that its file says to leave alone."""
    if not fleet.paused:
        return
    refusal = Refusal(
        id="paused",
        subject="paused",
        found="true",
        reason="the fleet's file says that its hosts are to be left as they are",
        fix="Write paused: false when they may be changed again; plan and status work meanwhile.",
        source="the fleet",
    )
    raise Refused([refusal], subject=f"fleet {fleet.name}")


async def change_fleet(
    site: Site,
    change: FleetChange,
    *,
    watcher: FleetWatcher,
    agree: Callable[[FleetPlan], None],
) -> AddonsApplied:
    """Do what the plan says once it was agreed to; `agree` raises where it is not."""
    _refuse_paused(site.fleet)
    doors, seen = site.doors, _Seen(watcher)
    surveyed = await survey_fleet(
        site.fleet, site.lock, doors, hosts=site.hosts, verb=change.verb, addons=change.addons
    )
    plan = surveyed.plan
    _refuse(plan)
    agree(plan)
    await _apply_addons(doors, plan)
    work = Applying(
        surveyed=surveyed,
        doors=doors,
        watcher=seen,
        holder=Holder.of(doors.holder, change.name, doors.now()),
        approve=change.approve,
        keep_going=change.keep_going,
    )
    await apply_plan(work)
    # A host's failure explains why pods of add-ons do not run.
    error = None if seen.has_failed else await _await_addons(doors, plan)
    return AddonsApplied(changes=plan.addons.changes, error=error)


async def maintain_fleet(
    site: Site,
    wish: MaintenanceWish,
    *,
    watcher: FleetWatcher,
    agree: Callable[[MaintenancePlan], None],
) -> None:
    """Run a command on the nodes wave by wave once that was agreed to."""
    _refuse_paused(site.fleet)
    api = site.doors.api
    if api is None:
        raise UsageError("nodes cannot be drained without a kubeconfig")
    surveyed = await survey_fleet(site.fleet, site.lock, site.doors, hosts=site.hosts)
    nodes = await api.nodes()
    plan = plan_maintenance(surveyed.plan, nodes, day=wish.day, again=wish.again)
    agree(plan)
    error = nothing_begun(surveyed.plan.fleet, plan.todo, plan.away)
    if error is not None and not plan.left:
        raise error
    work = Maintenance(
        plan=plan,
        surveyed=surveyed,
        doors=site.doors,
        api=api,
        watcher=watcher,
        command=wish.command,
        day=wish.day,
        reboot=wish.reboot,
    )
    await maintain(work)


def _refuse(plan: FleetPlan) -> None:
    """Raise with every reason why the fleet and its cluster do not go together."""
    if plan.checked.refusals:
        raise Refused(plan.checked.refusals, subject=f"fleet {plan.fleet.name}")
    if plan.addons.refusals:
        hint = f"{plan.addons.remedy}\nWith --no-addons they are left to somebody else.".strip()
        subject = f"add-ons of fleet {plan.fleet.name}"
        raise Refused(plan.addons.refusals, subject=subject, hint=hint)


async def _apply_addons(doors: FleetDoors, plan: FleetPlan) -> None:
    if doors.objects is None:
        return
    # Every manifest there is: needed only where a cluster's objects are changed.
    from transom.fleet.addon_plan import apply_addons

    await apply_addons(doors.objects, plan.addons)


async def _await_addons(doors: FleetDoors, plan: FleetPlan) -> TransomError | None:
    """Wait for the pods of add-ons; why they do not run."""
    if doors.objects is None:
        return None
    from transom.fleet.addon_plan import await_addons

    changed = bool(plan.addons.changes or plan.standing(Standing.CHANGES))
    try:
        await await_addons(doors.objects, plan.addons, doors.clock, something_changed=changed)
    except TransomError as error:
        return error
    return None


@dataclass(frozen=True)
class _Seen:
    """Passes everything on, and knows whether a host failed."""

    watcher: FleetWatcher
    failures: list[str] = field(default_factory=list)

    @property
    def has_failed(self) -> bool:
        """Whether one did."""
        return bool(self.failures)

    def host(self, name: str) -> Watcher:
        """The watcher of a host."""
        return self.watcher.host(name)

    def done(self, applied: Applied) -> None:
        """Count it."""
        if applied.error is not None:
            self.failures.append(applied.host)
        self.watcher.done(applied)
