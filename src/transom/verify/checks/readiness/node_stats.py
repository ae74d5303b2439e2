"""The kubelet reports figures of the node: CPU, memory, disk and network."""

from transom.verify.check import Check, Fault, Suite
from transom.verify.running.attempt import Attempt

_SUMMARY = "stats/summary"
_FIGURES = {
    "cpu": ("usageNanoCores", "usageCoreNanoSeconds"),
    "memory": ("workingSetBytes", "availableBytes"),
    "fs": ("capacityBytes", "availableBytes"),
}


async def prove(attempt: Attempt) -> None:
    """Read the summary; a figure that is missing or zero is a fault."""
    node = (await attempt.kubelet(_SUMMARY)).get("node") or {}
    missing = [
        f"{part}.{name}"
        for part, names in _FIGURES.items()
        for name in names
        if not (node.get(part) or {}).get(name)
    ]
    interfaces = (node.get("network") or {}).get("interfaces") or ()
    if not interfaces:
        missing.append("network.interfaces")
    if missing:
        raise Fault(f"the kubelet's summary of the node lacks {', '.join(missing)}")
    attempt.evidence["summary"] = f"{len(interfaces)} network interfaces"


CHECK = Check(
    name="node-stats",
    suite=Suite.READINESS,
    what="The kubelet's summary has CPU, memory, disk and network of the node.",
    why="On Windows the kubelet itself counts, not cAdvisor; autoscaling and eviction read it.",
    prove=prove,
    patience_s=60,
    lab_fault="Wine's figures cannot be taken away",
)
