"""What the commands about a whole fleet print with `-o json`."""

from typing import TYPE_CHECKING, Annotated

from transom.documents.addons import ChangedObject, changed_object
from transom.fleet.planning.cluster_checks import Misplaced
from transom.fleet.planning.plan import Standing
from transom.fleet.status import HostStatus
from transom.fleet.work.outcome import Outcome
from transom.model.answers import PlannedChange, PlannedStep
from transom.model.api_versions import written
from transom.model.choices import OneOf
from transom.model.disruption import Disruption
from transom.model.lock import Default
from transom.model.problem import Refusal
from transom.model.records import dataclass
from transom.recipe.defaults import unrecorded

if TYPE_CHECKING:
    from transom.fleet.planning.plan import FleetPlan, HostPlan
    from transom.fleet.work.outcome import Applied

VERBS = ("apply", "adopt", "upgrade", "maintain", "reset")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedHost:
    """What would be done to one host.

    `standing` is `unchanged`, `changes`, `refused`, `unreachable` or `failed`; `drains` that pods
    leave before it is touched; `afterwards` the steps of which only the join will tell; `error`
    why it could not be looked at, `hint` what to do about that. `not_applied` is what the fleet says and
    the node does not have, and `apply` does not bring there.
    """

    host: str
    address: str
    pool: str
    standing: Annotated[str, OneOf.values_of(Standing)]
    disruption: Annotated[str, OneOf.values_of(Disruption)]
    joins: bool
    drains: bool
    steps: tuple[PlannedStep, ...]
    afterwards: tuple[str, ...]
    warnings: tuple[str, ...]
    refused: tuple[Refusal, ...]
    error: str
    hint: str
    not_applied: tuple[PlannedChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AwayHost:
    """A host whose node takes no pods already, and why."""

    host: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetPlanDocument:
    """What `apply` would do; hosts of one wave are disturbed together, the waves in their order.

    `refused` are the reasons why the cluster and the fleet do not go together; `addons` is what
    would be created or changed in the cluster; `unread` is what could not be looked at. `away` are
    hosts whose nodes take no pods already; those that they leave no room for are `held_back`. `defaults` is what
    today's facts choose because neither the fleet nor its lock says it.
    """

    api_version: str = written("FleetPlan")
    kind: str = "FleetPlan"
    fleet: str
    hosts: tuple[PlannedHost, ...]
    waves: tuple[tuple[str, ...], ...]
    away: tuple[AwayHost, ...]
    held_back: tuple[str, ...]
    refused: tuple[Refusal, ...]
    notes: tuple[str, ...]
    misplaced: tuple[Misplaced, ...]
    addons: tuple[ChangedObject, ...]
    unread: tuple[str, ...]
    changes: int
    defaults: tuple[Default, ...]


def plan_document(plan: "FleetPlan") -> FleetPlanDocument:
    """The document of a plan."""
    return FleetPlanDocument(
        fleet=plan.fleet.name,
        hosts=tuple(_host(host) for host in plan.hosts),
        waves=plan.waves,
        away=tuple(AwayHost(host=name, why=away.why) for name, away in plan.away.items()),
        held_back=plan.held_back,
        refused=(*plan.checked.refusals, *plan.addons.refusals),
        notes=plan.checked.notes,
        misplaced=plan.checked.misplaced,
        addons=tuple(changed_object(change) for change in plan.addons.changes),
        unread=plan.unread,
        changes=sum(host.changes for host in plan.hosts),
        defaults=unrecorded(plan.fleet),
    )


def _host(host: "HostPlan") -> PlannedHost:
    return PlannedHost(
        host=host.name,
        address=host.address,
        pool=host.pool,
        standing=host.standing.value,
        disruption=host.disruption.value,
        joins=host.joins,
        drains=host.drains,
        steps=host.steps,
        afterwards=host.afterwards,
        warnings=host.warnings,
        refused=host.refusals,
        error=host.error.message if host.error is not None else "",
        hint=host.error.hint if host.error is not None else "",
        not_applied=host.not_applied,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedHost:
    """What came of one host.

    `outcome` is `unchanged`, `changed`, `failed`, `refused` or `not started`; `ready` is null where
    the cluster could not be asked. `changed` are the steps that changed something, in their order.
    `not_applied` is what the fleet says and the node still does not have.
    """

    host: str
    outcome: Annotated[str, OneOf.values_of(Outcome)]
    ready: bool | None
    kubelet: str
    changed: tuple[str, ...]
    notes: tuple[str, ...]
    refused: tuple[Refusal, ...]
    error: str
    hint: str
    elapsed_ms: int
    not_applied: tuple[PlannedChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetResult:
    """What came of a fleet; hosts that are not named were not begun.

    `addons` is what was created or changed in the cluster, `addons_error` why that does not run.
    """

    api_version: str = written("FleetResult")
    kind: str = "FleetResult"
    fleet: str
    verb: Annotated[str, OneOf(VERBS)]
    hosts: tuple[AppliedHost, ...]
    addons: tuple[ChangedObject, ...]
    addons_error: str
    addons_hint: str
    elapsed_ms: int


def applied_host(applied: "Applied") -> AppliedHost:
    """The document of a host's end."""
    error = applied.error
    return AppliedHost(
        host=applied.host,
        outcome=applied.outcome.value,
        ready=applied.ready,
        kubelet=applied.kubelet,
        changed=applied.changed,
        notes=applied.notes,
        refused=applied.refusals,
        error=error.message if error is not None else "",
        hint=error.hint if error is not None else "",
        elapsed_ms=round(applied.elapsed_s * 1000),
        not_applied=applied.not_applied,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetStatusDocument:
    """How the hosts stand; `left_over` are Nodes marked as the fleet's that no host of it names any more.

    `of_no_fleet` are Windows Nodes without the mark of any fleet; those of other fleets are not named.
    `findings` is what is the matter with the cluster itself, `unread` what could not be looked at.
    """

    api_version: str = written("FleetStatus")
    kind: str = "FleetStatus"
    hosts: tuple[HostStatus, ...]
    left_over: tuple[str, ...]
    of_no_fleet: tuple[str, ...]
    findings: tuple[str, ...]
    unread: tuple[str, ...] = ()
