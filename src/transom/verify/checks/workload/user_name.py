"""A container runs as the user that its pod names."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, expect
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, pod, waiting

USERS = {"administrator": "ContainerAdministrator", "user": "ContainerUser"}


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod with a container of each user."""
    containers = [
        {**waiting(case, name), "securityContext": {"windowsOptions": {"runAsUserName": user}}}
        for name, user in USERS.items()
    ]
    return (pod(case, SHELL, containers),)


async def prove(attempt: Attempt) -> None:
    """Each says its own name."""
    for name, user in USERS.items():
        text = await attempt.line(SHELL, "echo %USERNAME%", container=name)
        expect(text, user, f"the user of the container that asks for {user}")


CHECK = Check(
    name="user-name",
    suite=Suite.WORKLOAD,
    what="runAsUserName decides who a container runs as.",
    why="Windows has names, not numbers: runAsUser says nothing there, and the image's user is often the administrator.",
    needs=(needs.isolated, needs.pods),
    objects=objects,
    prove=prove,
    lab="no isolated container runs there, and HostProcess containers have the host's accounts",
)
