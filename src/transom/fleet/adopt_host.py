"""Adopting one host: a node that somebody else made is written down as found, and planned.

Called by `transom adopt`. Nothing of the node is changed: its journal says what was there, and the
plan what an upgrade to its recipe would change.
"""

from dataclasses import replace

from transom.errors import PermanentError, UsageError
from transom.fleet.answer import read_answer
from transom.fleet.cluster import read_cluster
from transom.fleet.join import Doors, Pin, planned, request_for
from transom.fleet.ownership import claims_anew
from transom.fleet.program import Brought
from transom.fleet.run import HostRun
from transom.fleet.single import Wish
from transom.fleet.work import Watcher
from transom.kube.api import Node
from transom.model.answers import Plan
from transom.model.event import State
from transom.model.records import dataclass
from transom.model.request import Verb, run_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """A node with a journal; `is_new` is False where it had one. `plan` is to its recipe."""

    node: Node
    is_new: bool
    plan: Plan


async def adopt_host(
    wish: Wish, doors: Doors, *, brought: Brought, pin: Pin, watcher: Watcher
) -> Adopted:
    """Record a node as it is, and say what differs from a recipe of its own version."""
    watcher.stage("read the cluster")
    view = await read_cluster(doors.api)
    watcher.stage("connect to the host")
    name = run_name(doors.now(), "adopt")
    run = HostRun(doors.connect, await doors.connect(), doors.clock, name)
    try:
        watcher.stage("bring the node program")
        await run.program.bring(brought)
        node = await _node(doors, str((await run.program.inventory())["name"]).lower())
        there = replace(wish, kubernetes=node.kubelet)
        request = await request_for(there, view, run, pin=pin, watcher=watcher)
        adoption = replace(request, verb=Verb.ADOPT)
        plan_request = replace(request, verb=Verb.PLAN, plan_for=Verb.ADOPT)
        is_new = bool(planned(await run.program.plan(plan_request), request))
        if is_new or await claims_anew(run.program, request):
            watcher.stage("write down what is there")
            ended = await run.follow(adoption, watcher.event)
            if ended.state is not State.DONE:
                raise PermanentError(
                    f"the adoption ended as {ended.state.value}", subject=node.name
                )
        watcher.stage("compare the host with its recipe")
        found = await run.program.plan(replace(plan_request, plan_for=Verb.UPGRADE))
    finally:
        await run.session.close()
    return Adopted(node=node, is_new=is_new, plan=read_answer(Plan, found))


async def _node(doors: Doors, name: str) -> Node:
    node = await doors.api.node(name)
    if node is None:
        raise UsageError(
            f"the cluster has no Node {name}",
            subject=name,
            hint="use the kubeconfig of the cluster it belongs to, or join the host",
        )
    return node
