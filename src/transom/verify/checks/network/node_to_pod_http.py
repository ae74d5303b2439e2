"""The node reaches a pod of its own by HTTP."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.checks.network._reach import NO_PACKETS, from_node
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.objects import HOST, HTTP_PORT, SERVER, host_process, server


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod that answers, and one whose programs are the node's."""
    return (server(case), host_process(case))


async def prove(attempt: Attempt) -> None:
    """Ask from the node."""
    await from_node(attempt, HOST, await attempt.pod_address(), HTTP_PORT, answers=SERVER)


CHECK = Check(
    name="node-to-pod-http",
    suite=Suite.NETWORK,
    what="Programs of the node reach its pods by HTTP.",
    why="The kubelet's own probes go this way.",
    needs=(needs.isolated, needs.pods),
    objects=objects,
    prove=prove,
    patience_s=60,
    lab=NO_PACKETS,
)
