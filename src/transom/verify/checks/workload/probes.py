"""Readiness follows its probe, and a failing liveness probe restarts the container."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Fault, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.objects import pod, waiting
from transom.verify.running.pods import container_statuses, is_ready

_HEALTHY, _UNREADY, _DYING = "healthy", "unready", "dying"


def objects(case: Case) -> tuple[Manifest, ...]:
    """Three pods: one whose probe succeeds, one never ready, one never alive."""
    good, bad = _probe("exit 0"), _probe("exit 1")
    return (
        pod(case, _HEALTHY, [{**waiting(case), "readinessProbe": good, "livenessProbe": good}]),
        pod(case, _UNREADY, [{**waiting(case), "readinessProbe": bad}]),
        pod(case, _DYING, [{**waiting(case), "livenessProbe": bad}]),
    )


def _probe(command: str) -> dict[str, object]:
    run = {"command": ["cmd.exe", "/c", command]}
    return {"exec": run, "periodSeconds": 3, "timeoutSeconds": 5, "failureThreshold": 2}


async def prove(attempt: Attempt) -> None:
    """The good one is Ready, the bad one is not, the dead one is restarted."""
    healthy, unready, dying = [await attempt.found(n) for n in (_HEALTHY, _UNREADY, _DYING)]
    if not is_ready(healthy):
        raise Fault("a pod whose readiness probe succeeds is not Ready")
    if not any((item.get("state") or {}).get("running") for item in container_statuses(unready)):
        raise Fault("the pod with the failing readiness probe does not run")
    if is_ready(unready):
        raise Fault("a pod is Ready although its readiness probe fails")
    restarts = sum(int(item.get("restartCount") or 0) for item in container_statuses(dying))
    if not restarts:
        raise Fault("a container whose liveness probe fails is not restarted")
    attempt.evidence["restarts"] = str(restarts)


CHECK = Check(
    name="probes",
    suite=Suite.WORKLOAD,
    what="A pod is Ready only while its readiness probe succeeds; a failing liveness probe restarts it.",
    why="Rolling updates rest on it; on Windows each exec probe starts a process, which takes long.",
    needs=(needs.pods,),
    objects=objects,
    prove=prove,
    awaits_pods=False,
    patience_s=300,
)
