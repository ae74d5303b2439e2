"""A pod that may land on Windows nodes of a mixed cluster.

What it flags: in a mixed cluster, a pod that is not for Windows and that nothing places on Linux
nodes, neither a selector nor a taint of all Windows nodes. Of a DaemonSet for Linux that tolerates every
taint it is said without `--mixed` too; one is for Linux also if it is privileged or wants the host's processes.
Why it fails: the scheduler may choose a Windows node, where the image cannot be pulled.
Example: a chart without nodeSelector, with `--mixed`.
Instead: add `nodeSelector: {kubernetes.io/os: linux}`, or taint the Windows nodes.
Sources: kubernetes/website, Windows containers in Kubernetes, scheduling.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext, OperatingSystem
from transom.workload.platform import placement, taints_in_the_way
from transom.workload.pods import PodView, mapping, sequence
from transom.workload.rule import Hit, declare

RULE = declare("WIN077", "linux-pod-without-selector")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a pod that nothing keeps off Windows nodes."""
    is_linux = pod.os is OperatingSystem.LINUX or _wants_linux(pod)
    is_everywhere = is_linux and _goes_everywhere(pod)
    if not (ctx.mixed or is_everywhere) or pod.is_windows or pod.spec.get("nodeName"):
        return
    if any(taints_in_the_way(pod, ctx)):
        return
    if not any(system is OperatingSystem.LINUX for system, _sign in placement(pod, ctx)):
        yield Hit(pod.spec_path("nodeSelector"))


def _wants_linux(pod: PodView) -> bool:
    """Whether a pod asks for what only a Linux host has."""
    contexts = (mapping(item.value.get("securityContext")) for item in pod.containers)
    return (
        pod.spec.get("hostPID") is True
        or pod.spec.get("hostIPC") is True
        or any(context.get("privileged") is True for context in contexts)
    )


def _goes_everywhere(pod: PodView) -> bool:
    """Whether a DaemonSet's pods tolerate every taint."""
    tolerations = map(mapping, sequence(pod.spec.get("tolerations")))
    return pod.object.kind == "DaemonSet" and any(
        item.get("operator") == "Exists" and not item.get("key") and not item.get("effect")
        for item in tolerations
    )
