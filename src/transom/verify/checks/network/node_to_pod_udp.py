"""The node reaches a pod of its own by UDP."""

from transom.verify.check import Check, Suite
from transom.verify.checks.network._reach import NO_PACKETS, from_node_by_udp
from transom.verify.checks.network.node_to_pod_http import objects
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.objects import HOST, SERVER, UDP_PORT


async def prove(attempt: Attempt) -> None:
    """Send a datagram from the node."""
    address = await attempt.pod_address()
    await from_node_by_udp(attempt, HOST, address, UDP_PORT, answers=SERVER)


CHECK = Check(
    name="node-to-pod-udp",
    suite=Suite.NETWORK,
    what="Programs of the node reach its pods by UDP.",
    why="Firewall rules and HNS policies treat UDP apart; upstream leaves this test out for Windows.",
    needs=(needs.isolated, needs.pods),
    objects=objects,
    prove=prove,
    patience_s=60,
    lab=NO_PACKETS,
)
