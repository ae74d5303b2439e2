"""A Windows pod that nothing places on Windows nodes.

What it flags: a pod for Windows, by its os.name or its image, without a node selector, node
affinity or RuntimeClass that leads to Windows nodes.
Why it fails: the scheduler looks at neither os.name nor images, and puts the pod on any node.
Example: a Deployment of an IIS image without nodeSelector.
Instead: add `nodeSelector: {kubernetes.io/os: windows}`.
Sources: kubernetes/website, Windows containers in Kubernetes, scheduling.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext, OperatingSystem
from transom.workload.platform import placement
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN070", "windows-pod-without-selector")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a pod that may land on Linux nodes."""
    if pod.spec.get("nodeName"):
        return
    if not any(system is OperatingSystem.WINDOWS for system, _sign in placement(pod, ctx)):
        name = pod.spec.get("runtimeClassName")
        if not name or name in ctx.runtime_classes:
            yield Hit(pod.spec_path("nodeSelector"))
