"""What a pod writes is read as its log."""

from transom.errors import PermanentError
from transom.kube.errors import Unavailable
from transom.model.manifest import Manifest
from transom.verify.check import Check, Fault, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, shown
from transom.verify.running.case import Case
from transom.verify.running.objects import pod, waiting

_NAME, _WORD = "writer", "written-to-the-log"


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod that writes a line and waits."""
    line = f"echo {_WORD}& for /l %i in (1,0,2) do @ping -n 30 127.0.0.1 >nul"
    main = {key: value for key, value in waiting(case).items() if key != "args"}
    return (pod(case, _NAME, [{**main, "command": ["cmd.exe", "/c", line]}]),)


async def prove(attempt: Attempt) -> None:
    """Read the last lines."""
    try:
        text = (await attempt.door.logs(attempt.name(_NAME), tail=20)).decode("utf-8", "replace")
    except (PermanentError, Unavailable) as error:
        await attempt.found(_NAME)  # the API answers, so it is the node that does not
        raise Fault(f"the log of a pod cannot be read: {error.message}") from error
    if _WORD not in text.split():
        raise Fault(f"the log of the pod lacks what it wrote: {shown(text)!r}")


CHECK = Check(
    name="logs",
    suite=Suite.WORKLOAD,
    what="kubectl logs shows what a pod writes.",
    why="A kubelet that cannot read its own folder of logs, or whose port is closed, shows here first.",
    needs=(needs.pods,),
    objects=objects,
    prove=prove,
    patience_s=30,
)
