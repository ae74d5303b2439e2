r"""A HostProcess container that does not say as whom it runs.

What it flags: a HostProcess container without runAsUserName, its own or the pod's.
Why it fails: which account runs on the host decides what the container may do there; it should be
chosen, not left to the image.
Example: `hostProcess: true` alone.
Instead: name `NT AUTHORITY\Local service`, or `NT AUTHORITY\SYSTEM` where that is needed.
Sources: kubernetes/website, Create a Windows HostProcess Pod.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN060", "hostprocess-without-user")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per HostProcess container without a user."""
    for container in pod.containers:
        is_host_process = pod.effective_windows_option(container, "hostProcess") is True
        if is_host_process and not pod.effective_windows_option(container, "runAsUserName"):
            yield Hit(container.path, f"container {container.value.get('name')}")
