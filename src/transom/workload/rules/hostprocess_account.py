r"""An account that a HostProcess container cannot run as.

What it flags: runAsUserName of a HostProcess container that is an account of containers, such as
ContainerUser, or one of a domain.
Why it fails: HostProcess containers run as service accounts or members of local groups of the host; the
runtime cannot log on any other account.
Example: `hostProcess: true` with `runAsUserName: ContainerAdministrator`.
Instead: use `NT AUTHORITY\SYSTEM`, `NT AUTHORITY\Local service`, `NT AUTHORITY\NetworkService` or the name
of a local group.
Sources: kubernetes/website, Create a Windows HostProcess Pod, choosing a user account.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, windows_options
from transom.workload.rule import Hit, declare

RULE = declare("WIN065", "hostprocess-account")

_OF_CONTAINERS = frozenset({"containeruser", "containeradministrator"})
_OF_HOSTS = "nt authority"


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per place that names such an account."""
    places = [(pod.spec, (*pod.path, "spec"))]
    places += ((container.value, container.path) for container in pod.containers)
    for holder, path in places:
        user = windows_options(holder).get("runAsUserName")
        if isinstance(user, str) and not _is_of_the_host(user):
            yield Hit((*path, "securityContext", "windowsOptions", "runAsUserName"), user)


def _is_of_the_host(user: str) -> bool:
    domain, backslash, name = user.lower().rpartition("\\")
    return name not in _OF_CONTAINERS and (not backslash or domain == _OF_HOSTS)
