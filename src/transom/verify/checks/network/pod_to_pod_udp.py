"""A pod reaches another pod of the node by UDP."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.checks.network._reach import NO_PACKETS, from_pod
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.objects import SERVER, UDP_PORT, server

_CLIENT = "client"


def objects(case: Case) -> tuple[Manifest, ...]:
    """Two pods."""
    return (server(case), server(case, _CLIENT))


async def prove(attempt: Attempt) -> None:
    """Ask one from the other."""
    address = await attempt.pod_address()
    await from_pod(attempt, _CLIENT, address, UDP_PORT, "udp", answers=SERVER)


CHECK = Check(
    name="pod-to-pod-udp",
    suite=Suite.NETWORK,
    what="Pods of the node reach each other by UDP.",
    why="It shows that HNS connects endpoints of the node at all, before traffic between nodes is looked at.",
    needs=(needs.isolated, needs.pods),
    objects=objects,
    prove=prove,
    patience_s=60,
    lab=NO_PACKETS,
)
