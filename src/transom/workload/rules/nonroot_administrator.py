"""runAsNonRoot together with the user ContainerAdministrator.

What it flags: a container with runAsNonRoot true, by itself or through the pod, whose
runAsUserName is ContainerAdministrator.
Why it fails: the kubelet reads the name, in any case, and refuses to create the container.
Example: `runAsNonRoot: true` and `runAsUserName: ContainerAdministrator`.
Instead: run as ContainerUser.
Sources: kubernetes pkg/kubelet/kuberuntime, verifyRunAsNonRoot for Windows.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, mapping
from transom.workload.rule import Hit, declare

RULE = declare("WIN058", "nonroot-administrator")

_ADMINISTRATOR = "containeradministrator"


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per container that cannot be created."""
    for container in pod.containers:
        user = pod.effective_windows_option(container, "runAsUserName")
        if not isinstance(user, str) or user.lower() != _ADMINISTRATOR:
            continue
        own = mapping(container.value.get("securityContext")).get("runAsNonRoot")
        inherited = mapping(pod.spec.get("securityContext")).get("runAsNonRoot")
        if (inherited if own is None else own) is True:
            holder = pod.spec_path() if own is None else container.path
            yield Hit((*holder, "securityContext", "runAsNonRoot"), f"as {user}")
