"""The Node is Ready and under no pressure."""

from transom.verify.check import Check, Fault, Suite
from transom.verify.running.attempt import Attempt
from transom.verify.running.look import read_node

_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")


async def prove(attempt: Attempt) -> None:
    """Read the Node's conditions again."""
    node = await read_node(attempt.door, attempt.case.node.name)
    if not node.ready:
        raise Fault(f"the node is not Ready: {node.problem or 'its kubelet does not report'}")
    bad = [name for name in _PRESSURES if node.conditions.get(name) == "True"]
    if bad:
        raise Fault(f"the node reports {', '.join(bad)}")
    attempt.evidence["conditions"] = ", ".join(f"{k} {v}" for k, v in node.conditions.items())


CHECK = Check(
    name="node-ready",
    suite=Suite.READINESS,
    what="The Node is Ready and reports no pressure of memory, disk or processes.",
    why="Pods are not placed on a node that is not Ready, and are evicted under pressure.",
    prove=prove,
)
