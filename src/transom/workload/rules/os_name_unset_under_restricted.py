"""os.name missing where the namespace enforces restricted.

What it flags: a Windows pod without os.name where the namespace is known to enforce the Pod
Security level restricted.
Why it fails: only with os.name does the level waive the Linux fields, which on Windows may not
even be set.
Example: a pod with a Windows selector only, with `--pod-security restricted`.
Instead: set os.name to windows.
Sources: kubernetes staging/src/k8s.io/pod-security-admission, checks of 1.25.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN064", "os-name-unset-under-restricted")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a pod that the level would treat as a Linux one."""
    level = ctx.pod_security_of(pod.object.namespace)
    if not pod.os_name and level == "restricted":
        yield Hit(pod.spec_path("os", "name"), "the namespace enforces restricted")
