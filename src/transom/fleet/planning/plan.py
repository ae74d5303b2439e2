"""What would be done to a fleet, host by host, and in which waves. Pure.

Made of surveys, printed by `transom plan`, carried out by `transom apply`. Ownership is judged here:
a host of another cluster, fleet or the operator is never touched, and a node that others made is
only taken over where somebody says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum

from transom.errors import Refused, TemporaryError, TransomError
from transom.fleet.addon_change import AddonPlan
from transom.fleet.planning.cluster_checks import Checked
from transom.fleet.planning.effective import node_lacks
from transom.fleet.planning.ownership import another_owner, claim
from transom.fleet.planning.reasons import with_reasons
from transom.fleet.planning.waves import Away, away_of, nothing_begun, pools_of, waves_of
from transom.kube.api import Node
from transom.kube.authority import authority_pins
from transom.model.answers import PlannedChange, PlannedStep, Survey
from transom.model.disruption import Disruption, worst
from transom.model.fleet import Fleet, Host, Reboot
from transom.model.journal import SINGLE_HOST
from transom.model.problem import Refusal
from transom.model.records import dataclass
from transom.model.request import Request, Verb
from transom.model.step_id import StepId

_FOREIGN_NODE = "already-joined"


class Standing(StrEnum):
    """How a host stands to its recipe."""

    UNCHANGED = "unchanged"
    CHANGES = "changes"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPlan:
    """One host: what would change, or why nothing can.

    `rolls` where it is a node in use that is disturbed, and so has to wait for its wave; `drains`
    where its pods must leave first.
    `afterwards` are the steps that look at what a join leaves, and so cannot be told before it.
    `not_applied` is what the fleet says and the node does not have, and no step brings there.
    """

    name: str
    address: str
    pool: str
    standing: Standing
    steps: tuple[PlannedStep, ...] = ()
    disruption: Disruption = Disruption.NONE
    joins: bool = False
    afterwards: tuple[str, ...] = ()
    rolls: bool = False
    drains: bool = False
    warnings: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    error: TransomError | None = None
    not_applied: tuple[PlannedChange, ...] = ()

    @property
    def changes(self) -> int:
        """How many things would change."""
        return sum(len(step.drift) for step in self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetPlan:
    """A fleet; `unread` says what could not be looked at, and why; `cluster` is which one it belongs to.

    `away` are hosts whose nodes take no pods already; for those `held_back` they leave no room.
    """

    fleet: Fleet
    hosts: tuple[HostPlan, ...]
    waves: tuple[tuple[str, ...], ...] = ()
    away: Mapping[str, Away] = field(default_factory=dict)
    checked: Checked = field(default_factory=Checked)
    addons: AddonPlan = field(default_factory=AddonPlan)
    unread: tuple[str, ...] = ()
    cluster: str = ""

    def standing(self, *wanted: Standing) -> tuple[HostPlan, ...]:
        """The hosts that stand so."""
        return tuple(host for host in self.hosts if host.standing in wanted)

    @property
    def held_back(self) -> tuple[str, ...]:
        """The hosts that would be disturbed and are in no wave."""
        begun = {name for wave in self.waves for name in wave}
        return tuple(host.name for host in self.hosts if host.rolls and host.name not in begun)

    @property
    def not_begun(self) -> TemporaryError | None:
        """Why nothing of it can be begun: so many nodes are away already."""
        changing = {host.name for host in self.standing(Standing.CHANGES)}
        if self.addons.changes or changing != {*self.held_back}:
            return None
        return nothing_begun(self.fleet, changing, self.away)

    @property
    def is_refused(self) -> bool:
        """Whether anything of it cannot be done."""
        refusals = (*self.checked.refusals, *self.addons.refusals)
        return bool(refusals or self.standing(Standing.REFUSED))


def plan_of(
    fleet: Fleet,
    surveys: Mapping[str, Survey | TransomError],
    requests: Mapping[str, Request],
    *,
    checked: Checked,
    addons: AddonPlan | None = None,
    unread: Sequence[str] = (),
) -> FleetPlan:
    """The plan, in the fleet's order."""
    hosts = tuple(
        host_plan(host, surveys[host.name], requests[host.name])
        for host in fleet.hosts
        if host.name in surveys
    )
    rolling = [host.name for host in hosts if host.rolls]
    return FleetPlan(
        fleet=fleet,
        hosts=hosts,
        waves=waves_of(fleet, rolling),
        checked=checked,
        addons=addons or AddonPlan(),
        unread=tuple(unread),
    )


def around_nodes(plan: FleetPlan, nodes: Iterable[Node]) -> FleetPlan:
    """The plan with waves that leave room for nodes that are away already."""
    rolling = {host.name for host in plan.hosts if host.rolls}
    concerned = {
        name for pool in pools_of(plan.fleet) if rolling & {*pool.hosts} for name in pool.hosts
    }
    away = {name: why for name, why in away_of(plan.fleet, nodes).items() if name in concerned}
    # What joins is done before the waves.
    joining = {host.name for host in plan.standing(Standing.CHANGES) if host.joins}
    still = {name: why for name, why in away.items() if name not in joining}
    return replace(plan, waves=waves_of(plan.fleet, rolling, still), away=still)


def with_nodes(
    plan: FleetPlan, nodes: Iterable[Node], requests: Mapping[str, Request]
) -> FleetPlan:
    """The plan with what the hosts' Nodes do not show of what the fleet says."""
    by_name, hosts = (
        {node.name: node for node in nodes},
        {host.name: host for host in plan.fleet.hosts},
    )

    def judged(planned: HostPlan) -> HostPlan:
        request = requests[planned.name]
        node = by_name.get(request.recipe.join.node_name)
        looked = planned.standing in (Standing.UNCHANGED, Standing.CHANGES) and not planned.joins
        if node is None or not looked or not _is_answered_for(request, planned.refusals):
            return planned
        lacks = node_lacks(hosts[planned.name], request.recipe, node)
        return replace(planned, not_applied=(*planned.not_applied, *lacks))

    return replace(plan, hosts=tuple(judged(planned) for planned in plan.hosts))


def host_plan(host: Host, survey: Survey | TransomError, request: Request) -> HostPlan:
    """Judge one host."""
    pool = host.pool or ""
    if isinstance(survey, TransomError):
        return HostPlan(
            name=host.name,
            address=host.address,
            pool=pool,
            standing=_standing(survey),
            refusals=survey.refusals if isinstance(survey, Refused) else (),
            error=survey,
        )
    steps, afterwards = _steps(survey)
    refusals = (*_ownership(host, survey, request), *_in_the_way(survey))
    disruption = worst(Disruption(step.disruption) for step in steps)
    is_upgrade = request.verb is Verb.UPGRADE and bool(steps)
    in_use = survey.member and not refusals
    steps = (*steps, *claim(host.name, survey.status.owner, request))
    changes = Standing.CHANGES if steps else Standing.UNCHANGED
    return HostPlan(
        name=host.name,
        address=host.address,
        pool=pool,
        standing=Standing.REFUSED if refusals else changes,
        steps=() if refusals else with_reasons(steps, request.recipe),
        disruption=Disruption.NONE if refusals else disruption,
        joins=any(step.step == StepId.JOIN for step in steps),
        afterwards=afterwards,
        rolls=in_use and (disruption is not Disruption.NONE or is_upgrade),
        drains=in_use and (disruption.is_felt_by_pods or is_upgrade),
        warnings=(*survey.plan.warnings, *_reboot(host, survey)),
        refusals=refusals,
        not_applied=survey.not_applied if _is_answered_for(request, refusals) else (),
    )


def _is_answered_for(request: Request, refusals: Sequence[Refusal]) -> bool:
    """Whether the fleet's settings are expected on the node: an adoption takes it as it is."""
    return request.verb is not Verb.ADOPT and not refusals


def _steps(survey: Survey) -> tuple[tuple[PlannedStep, ...], tuple[str, ...]]:
    """What would change, and the steps of which only a join will tell."""
    names = [step.step for step in survey.plan.steps]
    joins = any(step.step == StepId.JOIN and step.drift for step in survey.plan.steps)
    known = names.index(StepId.JOIN) + 1 if joins else len(names)
    steps = survey.plan.steps[:known]
    return tuple(step for step in steps if step.drift), tuple(names[known:])


def _standing(error: TransomError) -> Standing:
    if isinstance(error, Refused):
        return Standing.REFUSED
    return Standing.UNREACHABLE if isinstance(error, TemporaryError) else Standing.FAILED


def _ownership(host: Host, survey: Survey, request: Request) -> tuple[Refusal, ...]:
    owner = survey.status.owner
    if owner is not None and not owner.gives_way_to(request.owner, request.pins):
        return (another_owner(host.name, owner, request.owner),)
    if not any(refusal.id == _FOREIGN_NODE for refusal in survey.plan.refusals):
        return ()
    if set(_pins(survey.authority)) & set(request.join.ca_hashes if request.join else ()):
        return (
            Refusal(
                id="not-adopted",
                subject=host.name,
                found="a node of this cluster that Transom did not make",
                reason="what others did to the host is not known to any journal",
                fix=f"`transom adopt {_place(host, request)}` takes it over as it is.",
                source="",
            ),
        )
    return (
        Refusal(
            id="another-cluster",
            subject=host.name,
            found="a node of another cluster",
            reason="its cluster would lose it",
            fix="Take it out of there and run `kubeadm reset` on it first.",
            source="",
        ),
    )


def _place(host: Host, request: Request) -> str:
    """How a command names the host."""
    return host.address if request.owner.fleet == SINGLE_HOST else f"--host {host.name}"


def _in_the_way(survey: Survey) -> tuple[Refusal, ...]:
    return tuple(refusal for refusal in survey.plan.refusals if refusal.id != _FOREIGN_NODE)


def _reboot(host: Host, survey: Survey) -> tuple[str, ...]:
    if not survey.inventory.reboot_pending or host.reboot is Reboot.ALLOWED:
        return ()
    return ("Windows waits for a reboot, and the fleet says rebootPolicy: Never",)


def _pins(pem: str) -> tuple[str, ...]:
    try:
        return authority_pins(pem.encode())
    except ValueError:
        return ()
