"""A program is run in a pod, with its output and its exit code."""

from transom.errors import PermanentError
from transom.kube.errors import Unavailable
from transom.model.manifest import Manifest
from transom.verify.check import Certain, Check, Fault, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, expect
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, shell

_CODE = 3


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod in which programs are run."""
    return (shell(case),)


async def prove(attempt: Attempt) -> None:
    """Output and exit code come back; one that cannot be started is what this check is about."""
    name = attempt.name(SHELL)
    try:
        done = await attempt.door.execute(name, ["cmd.exe", "/c", f"echo out& exit {_CODE}"])
    except (PermanentError, Unavailable) as error:
        await attempt.found(SHELL)  # the API answers, so it is the node that does not
        raise Fault(f"no program can be run in a pod: {error.message}") from error
    expect(done.stdout.decode("utf-8", "replace").strip(), "out", "the output of the program")
    if done.code != _CODE:
        raise Certain(f"the program ended with {_CODE}, and exec says {done.code}")


CHECK = Check(
    name="exec",
    suite=Suite.WORKLOAD,
    what="kubectl exec runs a program in a pod and gives its output and exit code.",
    why="It goes through the kubelet's certificate, its port and the runtime's streaming server.",
    needs=(needs.pods,),
    objects=objects,
    prove=prove,
)
