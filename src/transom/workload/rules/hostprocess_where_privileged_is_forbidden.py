"""A HostProcess pod in a cluster that takes no privileged pods.

What it flags: a HostProcess container, where the API server is known to run with
`--allow-privileged=false`.
Why it fails: the API server takes HostProcess for what it is, a privileged container.
Example: `hostProcess: true` in such a cluster.
Instead: let the API server allow privileged pods, or do without HostProcess.
Sources: kubernetes/kubernetes, pkg/apis/core/validation/validation.go#validateWindowsHostProcessPod.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, windows_options
from transom.workload.rule import Hit, declare

RULE = declare("WIN053", "hostprocess-where-privileged-is-forbidden")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per place that asks for HostProcess."""
    if not ctx.privileged_forbidden:
        return
    places = [(pod.spec, (*pod.path, "spec"))]
    places += ((container.value, container.path) for container in pod.containers)
    for holder, path in places:
        if windows_options(holder).get("hostProcess") is True:
            yield Hit((*path, "securityContext", "windowsOptions", "hostProcess"))
