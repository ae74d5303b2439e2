"""A container cannot take more memory than its limit."""

from transom.model.manifest import Manifest
from transom.verify.check import Certain, Check, Fault, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.objects import pod
from transom.verify.running.pods import container_statuses

_NAME = "greedy"


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod that takes five times its limit and then says so by its log."""
    limit = f"{case.expected('pod-mebibytes')}Mi"
    wanted = f"{int(case.expected('pod-mebibytes')) * 5}Mi"
    main = {
        "name": "main",
        "image": case.image("agnhost"),
        "args": [
            "stress",
            f"--mem-total={wanted}",
            "--mem-alloc-size=50Mi",
            "--mem-alloc-sleep=200ms",
        ],
        "resources": {"requests": {"memory": limit}, "limits": {"memory": limit}},
    }
    return (pod(case, _NAME, [main], restartPolicy="Never"),)


async def prove(attempt: Attempt) -> None:
    """The program ends before it has what it asked for."""
    found = await attempt.found(_NAME)
    for status in container_statuses(found):
        ended = (status.get("state") or {}).get("terminated")
        if ended:
            if ended.get("exitCode") == 0:
                raise Certain("the program ended by itself: it never reached its limit")
            attempt.evidence["ended"] = f"exit {ended.get('exitCode')} {ended.get('reason', '')}"
            return
    summary = (await attempt.kubelet("stats/summary")).get("pods") or ()
    used = [
        (one.get("memory") or {}).get("workingSetBytes") or 0
        for item in summary
        if (item.get("podRef") or {}).get("namespace") == attempt.case.namespace
        for one in item.get("containers") or ()
    ]
    most = max(used, default=0) >> 20
    raise Fault(f"a container that takes five times its memory limit still runs, with {most} MiB")


CHECK = Check(
    name="memory-limit",
    suite=Suite.WORKLOAD,
    what="A program that takes more memory than its container's limit is refused it and ends.",
    why="Windows enforces limits by job objects; without them one pod starves the node.",
    needs=(needs.isolated, needs.pods),
    objects=objects,
    prove=prove,
    awaits_pods=False,
    patience_s=240,
    lab="no isolated container runs there, so nothing has a limit",
)
