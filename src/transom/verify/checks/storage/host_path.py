"""A pod reads a directory of the node."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Fault, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, shown
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, shell

# Every Windows has it, and nobody writes to it.
_OF_NODE, _PATH, _FILE = r"C:\Windows\System32\drivers\etc", r"C:\verify-host", "hosts"


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod with a directory of the node."""
    volume = {"name": "etc", "hostPath": {"path": _OF_NODE, "type": "Directory"}}
    return (shell(case, mounts={"etc": _PATH}, volumes=[volume]),)


async def prove(attempt: Attempt) -> None:
    """The node's file is there."""
    text = await attempt.line(SHELL, rf"dir /b {_PATH}")
    if _FILE not in text.lower().split():
        raise Fault(f"the pod does not see the node's {_OF_NODE}: it lists {shown(text)!r}")


CHECK = Check(
    name="host-path",
    suite=Suite.STORAGE,
    what="A pod reads a directory of the node through hostPath.",
    why="Agents for logs and monitoring rely on it; paths of Windows take other forms than the kubelet's own.",
    needs=(needs.pods,),
    objects=objects,
    prove=prove,
)
