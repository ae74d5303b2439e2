"""HostProcess containers beside normal ones in one pod.

What it flags: a pod where some containers are HostProcess, by themselves or through the pod, and
others are not; init and ephemeral containers count.
Why it fails: HostProcess decides how the whole pod is sandboxed, so the API server refuses a mix.
Example: `hostProcess: true` on one container of two.
Instead: set `hostProcess: true` once, in the pod's securityContext.windowsOptions.
Sources: kubernetes pkg/apis/core/validation, validateWindowsHostProcessPod.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN050", "hostprocess-mixed")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per container that is not HostProcess in a pod with one that is."""
    if not pod.is_host_process:
        return
    for container in pod.containers:
        if pod.effective_windows_option(container, "hostProcess") is not True:
            yield Hit(container.path, f"container {container.value.get('name')} is a normal one")
