"""The kubelet reports figures of pods: CPU, memory and network."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Fault, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, shell


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod to be counted."""
    return (shell(case),)


async def prove(attempt: Attempt) -> None:
    """Find the pod in the summary, with figures."""
    pods = (await attempt.kubelet("stats/summary")).get("pods") or ()
    for item in pods:
        named = item.get("podRef") or {}
        if (named.get("namespace"), named.get("name")) == (attempt.case.namespace, SHELL):
            break
    else:
        raise Fault("the kubelet's summary does not have the pod")
    containers = item.get("containers") or ()
    missing = [
        name
        for name, found in (
            (
                "cpu",
                any(
                    (one.get("cpu") or {}).get("usageCoreNanoSeconds") is not None
                    for one in containers
                ),
            ),
            ("memory", any((one.get("memory") or {}).get("workingSetBytes") for one in containers)),
            ("network", bool(item.get("network"))),
        )
        if not found
    ]
    if missing:
        raise Fault(f"the kubelet's summary of the pod lacks {', '.join(missing)}")


CHECK = Check(
    name="pod-stats",
    suite=Suite.READINESS,
    what="The kubelet's summary has CPU, memory and network of a pod.",
    why="`kubectl top` and autoscaling of pods read them; on Windows they come from the kubelet and HNS.",
    needs=(needs.isolated, needs.pods),
    objects=objects,
    prove=prove,
    patience_s=90,
    lab="no isolated container runs there, so there is nothing to count",
)
