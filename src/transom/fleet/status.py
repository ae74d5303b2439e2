"""How the hosts of a fleet stand: what they are, whose, how far from their recipe, and their Nodes.

Made of a survey and the cluster's Nodes; reads only. Nodes that are marked as
the fleet's and that none of its hosts names any more are left over: nobody touches them.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import replace

from transom.errors import TransomError
from transom.facts import rows
from transom.facts.addons import AddonLimit
from transom.facts.rows import At
from transom.fleet.doors import FleetDoors
from transom.fleet.planning.plan import HostPlan
from transom.fleet.survey import Surveyed
from transom.fleet.work.labels import FLEET
from transom.kube.api import Node
from transom.kube.door import Door
from transom.model.answers import Survey
from transom.model.records import dataclass

_WINDOWS = "windows"
_UNWELL = ("waiting", "restarting", "failed")
_CREDENTIALS = ("windows.k8s.io/v1", "GMSACredentialSpec")
_WEBHOOK = "admission-webhook.windows-gmsa.sigs.k8s.io"
_WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStatus:
    """One host; what could not be learnt is empty.

    `journal` is `none`, `settled`, `unfinished` or the name of another owner. `drift` counts what
    differs from the recipe, `findings` what stands in the way or is the matter,
    `warnings` what may bite later.
    """

    host: str
    address: str
    pool: str
    windows: str
    node: str
    kubelet: str
    runtime: str
    network: str
    journal: str
    drift: int
    findings: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetStatus:
    """All hosts, the Nodes that are left over, and what is the matter with the cluster.

    `of_no_fleet` are Windows Nodes that no fleet has marked; those of other fleets are left out.
    `unread` is what could not be looked at; without a kubeconfig these are all Nodes.
    """

    hosts: tuple[HostStatus, ...]
    left_over: tuple[str, ...]
    of_no_fleet: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    has_nodes: bool = True
    cluster: str = ""

    @property
    def is_well(self) -> bool:
        """Whether every host is as it should be."""
        return not self.findings and all(
            (host.node == "Ready" or not self.has_nodes) and not host.drift and not host.findings
            for host in self.hosts
        )


async def fleet_status(surveyed: Surveyed, doors: FleetDoors, *, gmsa: bool = False) -> FleetStatus:
    """Put survey and Nodes together; with `gmsa`, also what such accounts lack."""
    nodes = {} if doors.api is None else {node.name: node for node in await doors.api.nodes()}
    status = replace(status_of(surveyed, nodes), has_nodes=doors.api is not None)
    if not gmsa:
        return status
    lacks = [] if doors.objects is None else [item async for item in _cluster_lacks(doors.objects)]
    hosts = tuple(_with_gmsa(host, surveyed.surveys[host.host]) for host in status.hosts)
    return replace(status, hosts=hosts, findings=tuple(lacks))


def _with_gmsa(host: HostStatus, survey: Survey | TransomError) -> HostStatus:
    lacks = _host_lacks(survey) if isinstance(survey, Survey) else ""
    return replace(host, findings=(*host.findings, lacks)) if lacks else host


def status_of(surveyed: Surveyed, nodes: Mapping[str, Node]) -> FleetStatus:
    """The same, without any door."""
    hosts = tuple(
        _host(plan, surveyed, nodes.get(_node_name(surveyed, plan))) for plan in surveyed.plan.hosts
    )
    fleet = surveyed.plan.fleet
    named = {host.node_name for host in fleet.hosts}
    others = [node for node in nodes.values() if node.name not in named]
    windows = [node for node in others if node.system == _WINDOWS]
    return FleetStatus(
        hosts=hosts,
        left_over=_names(node for node in others if node.labels.get(FLEET) == fleet.name),
        of_no_fleet=_names(node for node in windows if FLEET not in node.labels),
        unread=surveyed.plan.unread,
        cluster=surveyed.entry.identity,
    )


def _names(nodes: Iterable[Node]) -> tuple[str, ...]:
    return tuple(sorted(node.name for node in nodes))


def _node_name(surveyed: Surveyed, plan: HostPlan) -> str:
    return surveyed.requests[plan.name].recipe.join.node_name


def _host(plan: HostPlan, surveyed: Surveyed, node: Node | None) -> HostStatus:
    survey = surveyed.surveys[plan.name]
    recipe = surveyed.requests[plan.name].recipe
    known = survey if isinstance(survey, Survey) else None
    return HostStatus(
        host=plan.name,
        address=plan.address,
        pool=plan.pool,
        windows=_windows(known),
        node=_node(node),
        kubelet=node.kubelet if node else "",
        runtime=node.runtime if node else "",
        network=f"{recipe.network.plugin} {recipe.network.mode}".strip(),
        journal=_journal(known, recipe.identity.fleet),
        drift=plan.changes + len(plan.not_applied),
        findings=(*_findings(plan, node), *_programs(known)),
        warnings=plan.warnings,
    )


def _windows(survey: Survey | None) -> str:
    if survey is None:
        return ""
    windows = survey.inventory.windows
    return f"{windows.build}.{windows.revision}"


def _node(node: Node | None) -> str:
    if node is None:
        return ""
    ready = "Ready" if node.ready else "NotReady"
    return f"{ready},SchedulingDisabled" if node.unschedulable else ready


def _journal(survey: Survey | None, fleet: str) -> str:
    if survey is None:
        return ""
    status = survey.status
    if status.owner is None:
        return "none"
    if status.owner.fleet != fleet:
        return f"of {status.owner.fleet}"
    return "settled" if status.settled == status.intents else "unfinished"


def _programs(survey: Survey | None) -> Iterable[str]:
    """What the network's programs wait for, in their own words."""
    for program in survey.status.programs if survey is not None else ():
        if program.state in _UNWELL:
            yield f"{program.name} is {program.state}: {program.reason}"


def _findings(plan: HostPlan, node: Node | None) -> Iterable[str]:
    if plan.error is not None:
        yield plan.error.message
    for refusal in plan.refusals:
        about = "" if refusal.subject == plan.name else f"{refusal.subject}: "
        yield f"{about}{refusal.found}; {refusal.reason}"
    if node is not None and not node.ready:
        yield f"not Ready: {node.problem or 'its kubelet is silent'}"


def _host_lacks(survey: Survey) -> str:
    """What a host lacks for group-managed service accounts (gMSA); empty where nothing."""
    return "" if survey.inventory.domain else f"gMSA: {_limit('gmsa-domain')}"


async def _cluster_lacks(objects: Door) -> AsyncIterator[str]:
    """What the cluster lacks for them."""
    if not await objects.serves(*_CREDENTIALS):
        yield f"gMSA: {_limit('gmsa-credentials')}"
    for kind in _WEBHOOKS:
        found = await objects.list("admissionregistration.k8s.io/v1", kind)
        names = [hook["name"] for item in found for hook in item.get("webhooks") or ()]
        if _WEBHOOK not in names:
            yield f"gMSA: {_limit('gmsa-webhook')} ({kind} with {_WEBHOOK})"


def _limit(row: str) -> str:
    return rows.one(AddonLimit, row, At()).text
