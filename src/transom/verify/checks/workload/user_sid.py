"""A container's user has the SID that Windows gives it in every container."""

from transom.verify.check import Check, Fault, NotProven, Suite
from transom.verify.checks.workload.user_name import objects
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, shown
from transom.verify.running.objects import SHELL


async def prove(attempt: Attempt) -> None:
    """Ask for the SID of ContainerUser."""
    done = await attempt.execute(SHELL, "cmd.exe", "/c", "whoami /user", container="user")
    text = done.stdout.decode("utf-8", "replace")
    if done.code != 0:
        raise NotProven(
            f"whoami does not say the SID: {shown(text + done.stderr.decode('utf-8', 'replace'))}"
        )
    wanted = attempt.case.expected("container-user-sid")
    if wanted not in text.split():
        raise Fault(f"ContainerUser does not have the SID {wanted}: {shown(text)!r}")


CHECK = Check(
    name="user-sid",
    suite=Suite.WORKLOAD,
    what="ContainerUser has its well-known SID in a container.",
    why="Access lists of mounted volumes name SIDs; another one means another user.",
    needs=(needs.isolated, needs.pods),
    objects=objects,
    prove=prove,
    lab="no isolated container runs there, and HostProcess containers have the host's accounts",
)
