"""What the kubelet reserves is taken off what pods may have."""

from transom.verify.check import Certain, Check, NotProven, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.workload.field_values import read_quantity

_SLACK = 1 << 20


async def prove(attempt: Attempt) -> None:
    """Compare capacity, the kubelet's own reserves and allocatable."""
    node = attempt.case.node
    capacity, allocatable = _bytes(node.capacity), _bytes(node.allocatable)
    if capacity is None or allocatable is None:
        raise NotProven("the Node does not say how much memory it has")
    config = node.config
    parts = {
        "kubeReserved": _bytes(config.get("kubeReserved") or {}),
        "systemReserved": _bytes(config.get("systemReserved") or {}),
        "evictionHard": _threshold((config.get("evictionHard") or {}), capacity),
    }
    wanted = capacity - sum(value or 0 for value in parts.values())
    told = ", ".join(f"{name} {(value or 0) >> 20} MiB" for name, value in parts.items())
    attempt.evidence["memory"] = f"capacity {capacity}, allocatable {allocatable}, {told}"
    if not any(parts[name] for name in ("kubeReserved", "systemReserved")):
        raise Certain(
            "the kubelet reserves no memory for Windows and itself (kubeReserved, systemReserved): "
            "pods may take all of it, and Windows has no out-of-memory killer"
        )
    if abs(allocatable - wanted) > _SLACK:
        raise Certain(
            f"allocatable memory is {allocatable >> 20} MiB, and capacity less reserves is "
            f"{wanted >> 20} MiB"
        )


def _bytes(resources: object) -> int | None:
    text = resources.get("memory") if hasattr(resources, "get") else None
    found = read_quantity(str(text)) if text else None
    return None if found is None else int(found)


def _threshold(eviction: object, capacity: int) -> int:
    text = str(eviction.get("memory.available") or "") if hasattr(eviction, "get") else ""
    if text.endswith("%"):
        return int(capacity * float(text[:-1]) / 100)
    found = read_quantity(text) if text else None
    return int(found or 0)


CHECK = Check(
    name="node-reserves",
    suite=Suite.READINESS,
    what="The kubelet reserves memory for Windows and for itself, and pods get what is left.",
    why="Windows has no out-of-memory killer: without reserves pods slow the whole node down.",
    needs=(needs.kubelet_config,),
    prove=prove,
)
