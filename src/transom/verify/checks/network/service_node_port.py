"""A Service's port of this node leads to its pod, asked from another node."""

from transom.kube.door import SERVICE
from transom.model.manifest import Manifest
from transom.verify.check import Check, NotProven, Suite
from transom.verify.checks.network._reach import NO_PACKETS, from_pod
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import WINDOWS, Case
from transom.verify.running.objects import SERVER, server, service

_AWAY = "away"


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod behind a Service, and one on another node that asks."""
    return (
        server(case),
        server(case, _AWAY, on=case.peer(WINDOWS)),
        service(case, "web", type="NodePort"),
    )


async def prove(attempt: Attempt) -> None:
    """Ask at the node's own address: not from the node itself, which Windows does not allow."""
    ports = (await attempt.found("web", SERVICE))["spec"]["ports"]
    port, address = ports[0].get("nodePort"), attempt.case.node.address
    if not port or not address:
        raise NotProven("the Service has no port of nodes, or the Node no address")
    await from_pod(attempt, _AWAY, address, int(port), "http", answers=SERVER)


CHECK = Check(
    name="service-node-port",
    suite=Suite.NETWORK,
    what="A Service of type NodePort answers at this node's address, asked from another Windows node.",
    why="Load balancers outside the cluster send traffic there.",
    needs=(needs.isolated, needs.pods, needs.another_windows_node),
    objects=objects,
    prove=prove,
    patience_s=90,
    lab=NO_PACKETS,
)
