r"""An account that a HostProcess container cannot run as.

What it flags: runAsUserName of a HostProcess container that is an account of containers, such as
ContainerUser, a user with a password, or a service account that is not written with `NT AUTHORITY\` in capitals.
Why it fails: HostProcess containers run as service accounts or members of local groups of the host; the
runtime cannot log on any other account, and knows service accounts by that very beginning.
Example: `hostProcess: true` with `runAsUserName: ContainerAdministrator`.
Instead: use `NT AUTHORITY\SYSTEM`, `NT AUTHORITY\Local service`, `NT AUTHORITY\NetworkService` or the name
of a local group.
Sources: kubernetes/website, Create a Windows HostProcess Pod, choosing a user account; microsoft/hcsshim
internal/jobcontainers/logon.go.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, windows_options
from transom.workload.rule import Hit, declare

RULE = declare("WIN065", "hostprocess-account")

_OF_CONTAINERS = frozenset({"containeruser", "containeradministrator"})
_OF_SERVICES = frozenset(
    {"system", "local service", "localservice", "network service", "networkservice"}
)
# Users of every Windows; a name that is none of these may be a local group.
_USERS = frozenset({"administrator", "guest", "defaultaccount"})
_AUTHORITY = "NT AUTHORITY"


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per place that names such an account."""
    places = [(pod.spec, (*pod.path, "spec"))]
    places += ((container.value, container.path) for container in pod.containers)
    for holder, path in places:
        user = windows_options(holder).get("runAsUserName")
        if isinstance(user, str) and not _is_of_the_host(user):
            yield Hit((*path, "securityContext", "windowsOptions", "runAsUserName"), user)


def _is_of_the_host(user: str) -> bool:
    domain, backslash, name = user.rpartition("\\")
    if backslash:
        return domain == _AUTHORITY and name.lower() in _OF_SERVICES
    return name.lower() not in _OF_CONTAINERS | _OF_SERVICES | _USERS
