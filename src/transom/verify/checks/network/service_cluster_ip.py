"""A pod reaches a Service by its cluster IP."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.checks.network._reach import NO_PACKETS, from_pod
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.objects import SERVER, server, service

_CLIENT = "client"


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod behind a Service, and another that asks: a pod that asks itself is another case."""
    return (server(case), server(case, _CLIENT), service(case, "web"))


async def prove(attempt: Attempt) -> None:
    """Ask by TCP and by UDP."""
    address = await attempt.cluster_address("web")
    await from_pod(attempt, _CLIENT, address, 80, "http", answers=SERVER)
    await from_pod(attempt, _CLIENT, address, 81, "udp", answers=SERVER)


CHECK = Check(
    name="service-cluster-ip",
    suite=Suite.NETWORK,
    what="A pod reaches a Service by its cluster IP, by TCP and by UDP.",
    why="It shows that kube-proxy on this node writes load balancers into HNS.",
    needs=(needs.isolated, needs.pods),
    objects=objects,
    prove=prove,
    patience_s=90,
    lab=NO_PACKETS,
)
