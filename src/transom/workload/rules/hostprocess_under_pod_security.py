"""HostProcess in a namespace that enforces baseline or restricted.

What it flags: a HostProcess pod where the namespace is known to enforce the Pod Security level
baseline or restricted.
Why it fails: both levels refuse HostProcess, whatever the version of the policy.
Example: `hostProcess: true` with `--pod-security baseline`.
Instead: label the namespace pod-security.kubernetes.io/enforce=privileged.
Sources: kubernetes staging/src/k8s.io/pod-security-admission, windowsHostProcess.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN063", "hostprocess-under-pod-security")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a pod the level refuses."""
    level = ctx.pod_security_of(pod.object.namespace)
    if pod.is_host_process and level in ("baseline", "restricted"):
        yield Hit(pod.spec_path(), f"the namespace enforces {level}")
