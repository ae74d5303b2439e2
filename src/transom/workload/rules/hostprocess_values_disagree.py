"""hostProcess set to one value by the pod and to another by a container.

What it flags: a container whose hostProcess differs from that of the pod.
Why it fails: the API server wants one value where both are set.
Example: `hostProcess: true` in the pod and `hostProcess: false` in a container.
Instead: set it once, in the pod.
Sources: kubernetes pkg/apis/core/validation, validateWindowsHostProcessPod.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, windows_options
from transom.workload.rule import Hit, declare

RULE = declare("WIN052", "hostprocess-values-disagree")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per container that contradicts the pod."""
    wanted = pod.windows_option("hostProcess")
    for container in pod.containers:
        own = windows_options(container.value).get("hostProcess")
        if wanted is not None and own is not None and own != wanted:
            yield Hit((*container.path, "securityContext", "windowsOptions", "hostProcess"))
