"""A pod label kubernetes.io/os that names another system than the pod is for.

What it flags: the label kubernetes.io/os in the metadata of a pod or its template, with another
value than the system the pod is for.
Why it fails: the kubelet compares this pod label with its own system and fails the pod with
PodOSSelectorNodeLabelDoesNotMatch.
Example: label `kubernetes.io/os: linux` on a pod with os.name windows.
Instead: drop the label; placement is the business of nodeSelector.
Sources: kubernetes pkg/kubelet/lifecycle, PodOSSelectorNodeLabelDoesNotMatch.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, mapping
from transom.workload.rule import Hit, declare

RULE = declare("WIN044", "os-label-of-pod")

_LABEL = "kubernetes.io/os"


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit where the label contradicts what the pod is for."""
    label = mapping(pod.metadata.get("labels")).get(_LABEL)
    if label is not None and pod.os is not None and label != pod.os.value:
        path = (*pod.path, "metadata", "labels", _LABEL)
        yield Hit(path, f"{label} on a pod for {pod.os.value}")
