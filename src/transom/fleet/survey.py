"""Looking at a whole fleet: its cluster and every host, without changing either.

A host that has this
version's program is asked by one command over one connection. Where a host has none, it is brought
for the visit and taken away again, unless it is to stay.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from transom.errors import InternalError, TransomError
from transom.fleet.addon_change import AddonPlan
from transom.fleet.cluster import ClusterEntry, read_entry, refuse_another_cluster
from transom.fleet.doors import FleetDoors
from transom.fleet.hosts import each
from transom.fleet.on_host.program import Bring, NodeProgram, own_sum, present
from transom.fleet.on_host.run import Connect
from transom.fleet.on_host.upload import to_be_uploaded
from transom.fleet.planning.cluster_checks import Checked, check_cluster
from transom.fleet.planning.plan import FleetPlan, around_nodes, plan_of, with_nodes
from transom.fleet.planning.requests import at_cluster, entry_of, requests_of
from transom.kube.api import Api
from transom.kube.door import Door
from transom.model.answers import Survey
from transom.model.fleet import Fleet, Host
from transom.model.lock import Lock
from transom.model.records import dataclass
from transom.model.request import Request, Verb
from transom.recipe.resolve import cases_of

_NO_API = "the cluster: there is no kubeconfig, so nothing in it is checked, drained or awaited"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    """A fleet that was looked at: the plan, and what it was made of."""

    plan: FleetPlan
    entry: ClusterEntry
    requests: Mapping[str, Request]
    surveys: Mapping[str, Survey | TransomError]


async def survey_fleet(
    fleet: Fleet,
    lock: Lock,
    doors: FleetDoors,
    *,
    hosts: Sequence[str] = (),
    verb: Verb = Verb.JOIN,
    addons: bool = False,
    entry: ClusterEntry | None = None,
) -> Surveyed:
    """Look at the cluster, then at every chosen host at once; raise where the fleet cannot work.

    A cluster whose `entry` was read already is not asked for it again.
    """
    if entry is None:
        entry = entry_of(fleet) if doors.api is None else await read_entry(doors.api)
    refuse_another_cluster(fleet, entry.ca_hashes)
    fleet = at_cluster(fleet, entry)
    requests = _furnished(requests_of(fleet, entry, lock, verb=verb, hosts=hosts), doors)
    checked, unread = await _check(fleet, entry, doors, hosts=tuple(requests))
    planned = None
    if addons and doors.objects is not None and not checked.refusals:
        known = replace(fleet.cluster, endpoint=fleet.cluster.endpoint or entry.endpoint)
        planned = await _addons(replace(fleet, cluster=known), doors.objects, lock, unread)
    chosen = [host for host in fleet.hosts if host.name in requests]

    async def look(host: Host) -> Survey:
        connect, name = doors.connect(host), host.name
        found = await survey_host(connect, requests[name], bring=doors.bring)
        if _decides(fleet, host, found):
            there = {name: found.inventory.runtimes}
            anew = requests_of(
                fleet, entry, lock, verb=verb, hosts=(name,), detected_runtimes=there
            )
            requests.update(_furnished(anew, doors))
            found = await survey_host(connect, requests[name], bring=doors.bring)
        return found

    surveys = await each(chosen, look, parallel=doors.parallel)
    plan = plan_of(fleet, surveys, requests, checked=checked, addons=planned, unread=unread)
    plan = replace(plan, cluster=entry.identity)
    members = any(isinstance(found, Survey) and found.member for found in surveys.values())
    if doors.api is not None and members:
        plan = await _beside_nodes(plan, requests, doors.api)
    return Surveyed(plan=plan, entry=entry, requests=requests, surveys=surveys)


async def _beside_nodes(plan: FleetPlan, requests: Mapping[str, Request], api: Api) -> FleetPlan:
    """The plan with what the cluster's Nodes say: who is away, and which labels and taints are missing."""
    try:
        nodes = await api.nodes()
    except TransomError as error:
        if plan.waves:
            raise
        return replace(plan, unread=(*plan.unread, f"labels and taints: {error.message}"))
    return with_nodes(around_nodes(plan, nodes) if plan.waves else plan, nodes, requests)


def _furnished(requests: Mapping[str, Request], doors: FleetDoors) -> dict[str, Request]:
    """The requests with the ways to artifacts; what is held here will lie on the host by then."""
    return {name: _furnish(request, doors) for name, request in requests.items()}


def _furnish(request: Request, doors: FleetDoors) -> Request:
    recipe, secrets = request.recipe, request.join
    if doors.holdings is not None:
        recipe = replace(recipe, artifacts=to_be_uploaded(recipe.artifacts, doors.holdings))
    if doors.node_kubeconfig and secrets is not None:
        secrets = replace(secrets, kubeconfig=doors.node_kubeconfig)
    return replace(request, recipe=recipe, join=secrets, access=doors.access)


async def survey_host(connect: Connect, request: Request, *, bring: Bring) -> Survey:
    """Look at one host."""
    session = await connect()
    try:
        program = NodeProgram(session)
        found = await program.survey(request)
        if found is not None and found.program == own_sum():
            return found
        async with present(session, program, bring) as ready:
            found = await ready.survey(request)
        if found is None:
            raise InternalError(
                f"the node program on {request.recipe.identity.name} does not answer",
                subject=request.recipe.identity.name,
            )
        return found
    finally:
        await session.close()


async def _check(
    fleet: Fleet, entry: ClusterEntry, doors: FleetDoors, *, hosts: Sequence[str]
) -> tuple[Checked, list[str]]:
    if doors.api is None:
        return Checked(), [_NO_API]
    unread: list[str] = []
    daemon_sets: tuple[Mapping[str, Any], ...] = ()
    try:
        daemon_sets = await doors.api.daemon_sets()
    except TransomError as error:
        unread.append(f"DaemonSets that would land on the hosts: {error.message}")
    cases = cases_of(fleet, hosts=hosts, detected_runtimes={})
    return check_cluster(cases, entry, daemon_sets), unread


async def _addons(fleet: Fleet, objects: Door, lock: Lock, unread: list[str]) -> AddonPlan | None:
    # Every manifest there is: needed only where a cluster's objects are looked at.
    from transom.fleet.addon_plan import plan_addons

    try:
        return await plan_addons(fleet, objects, lock)
    except TransomError as error:
        unread.append(f"add-ons: {error.message}")
        return None


def _decides(fleet: Fleet, host: Host, survey: Survey) -> bool:
    """Whether the runtime that the host has decides what it becomes."""
    return (host.runtime or fleet.runtime) is None and survey.inventory.runtimes not in (
        (),
        ("containerd",),
    )
