"""A pod runs in a virtual machine of its own."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, expect
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, pod

_WORD = "runs-in-a-machine"


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod of the RuntimeClass with Hyper-V's handler."""
    name = case.runtime_class(needs.hyperv_handler())
    main = {"name": "main", "image": case.image("agnhost"), "args": ["pause"]}
    return (pod(case, SHELL, [main], runtimeClassName=name),)


async def prove(attempt: Attempt) -> None:
    """A program runs in it; the class of its pod stands in the evidence."""
    expect(await attempt.line(SHELL, f"echo {_WORD}"), _WORD, "what a program in the pod says")


CHECK = Check(
    name="hyperv-isolation",
    suite=Suite.WORKLOAD,
    what="A pod of the RuntimeClass for Hyper-V isolation starts, and programs run in it.",
    why="It needs the Hyper-V role, nested virtualization on most clouds, and containerd's handler.",
    needs=(needs.pods, needs.hyperv_class),
    objects=objects,
    prove=prove,
    pods_deadline_s=600,
    lab="there is no hypervisor there",
)
