"""The kubelet refuses a pod that asks for more than the node has."""

from transom.model.manifest import Manifest
from transom.verify.check import Certain, Check, Fault, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.objects import pod, waiting
from transom.workload.field_values import read_quantity

_NAME = "greedy"


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod bound to the node without the scheduler, which would not have placed it."""
    memory = int(read_quantity(str(case.node.allocatable.get("memory", "0"))) or 0) + (1 << 30)
    main = {**waiting(case), "resources": {"requests": {"memory": str(memory)}}}
    return (pod(case, _NAME, [main], nodeName=case.node.name, restartPolicy="Never"),)


async def prove(attempt: Attempt) -> None:
    """Wait for the kubelet's refusal."""
    status = (await attempt.found(_NAME)).get("status") or {}
    if status.get("phase") in ("Running", "Succeeded"):
        raise Certain("the kubelet runs a pod that asks for more memory than the node can give")
    if status.get("phase") != "Failed":
        raise Fault("the kubelet did not refuse a pod that asks for more memory than the node has")
    reason = str(status.get("reason") or "")
    if reason.lower() != "outofmemory":
        raise Certain(f"the pod was refused for another reason: {reason} {status.get('message')}")
    attempt.evidence["refusal"] = f"{reason}: {status.get('message')}"


CHECK = Check(
    name="enforce-node-allocatable",
    suite=Suite.READINESS,
    what="The kubelet does not run a pod that asks for more memory than the node can allocate.",
    why="Windows has no cgroups: this refusal is all that enforces what the node can allocate.",
    needs=(needs.pods,),
    objects=objects,
    prove=prove,
    awaits_pods=False,
    patience_s=60,
    lab_fault="the kubelet's admission cannot be turned off",
)
