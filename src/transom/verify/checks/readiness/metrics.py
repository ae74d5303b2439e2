"""The kubelet gives its resource metrics, and the metrics API has the node where there is one."""

from transom.model.manifest import ObjectName
from transom.verify.check import Check, Fault, Suite
from transom.verify.running.attempt import Attempt
from transom.verify.running.look import METRICS

_WANTED = ("node_cpu_usage_seconds_total", "node_memory_working_set_bytes")


async def prove(attempt: Attempt) -> None:
    """Read both."""
    text = await attempt.kubelet_text("metrics/resource")
    lines = text.splitlines()
    missing = [name for name in _WANTED if not any(line.startswith(name) for line in lines)]
    if missing:
        raise Fault(f"the kubelet's metrics/resource lacks {', '.join(missing)}")
    if METRICS not in attempt.case.setting.kinds:
        attempt.evidence["metrics API"] = "the cluster has none (metrics-server)"
        return
    name = ObjectName("metrics.k8s.io/v1beta1", METRICS, "", attempt.case.node.name)
    found = await attempt.door.get(name)
    if not found or not found.get("usage"):
        raise Fault("the metrics API has no figures of the node: metrics-server cannot read it")
    attempt.evidence["metrics API"] = f"usage {found['usage']}"


CHECK = Check(
    name="metrics",
    suite=Suite.READINESS,
    what="The kubelet's metrics/resource has CPU and memory of the node; so does the metrics API, if there is one.",
    why="`kubectl top node` and horizontal autoscaling are empty for a node that metrics-server cannot read.",
    prove=prove,
    patience_s=90,
    lab_fault="Wine's figures cannot be taken away",
)
