"""A CPU limit in which a Windows container hardly starts.

What it flags: a CPU limit of a Windows container below a tenth of a processor.
Why it fails: the kubelet makes a hard cap of it, in hundredths of a percent of the node; the processes of
the container's own system take most of so little, and starting takes minutes.
Example: `cpu: 50m`.
Instead: give it 250m or more, or no CPU limit.
Sources: kubernetes pkg/kubelet/kuberuntime, kuberuntime_container_windows.go.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.field_values import read_quantity
from transom.workload.pods import PodView, mapping
from transom.workload.rule import Hit, declare

RULE = declare("WIN100", "tiny-cpu-limit")

_MILLI = 1000


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per container with so small a limit."""
    least = RULE.rows[0].value
    assert isinstance(least, int)
    for container in pod.containers:
        limit = mapping(mapping(container.value.get("resources")).get("limits")).get("cpu")
        amount = read_quantity(limit)
        if amount is not None and amount * _MILLI < least:
            yield Hit((*container.path, "resources", "limits", "cpu"), str(limit))
