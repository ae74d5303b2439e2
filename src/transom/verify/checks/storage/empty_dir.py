"""Containers of a pod share an emptyDir."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, expect
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, pod, waiting

_PATH, _WORD = r"C:\verify-shared", "written-by-one"


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod of two containers with one volume."""
    mounts = [{"name": "shared", "mountPath": _PATH}]
    both = [{**waiting(case, name), "volumeMounts": mounts} for name in ("main", "other")]
    return (pod(case, SHELL, both, volumes=[{"name": "shared", "emptyDir": {}}]),)


async def prove(attempt: Attempt) -> None:
    """What one writes the other reads."""
    await attempt.line(SHELL, rf"echo {_WORD}> {_PATH}\word.txt")
    text = await attempt.line(SHELL, rf"type {_PATH}\word.txt", container="other")
    expect(text, _WORD, "what the second container reads in the shared emptyDir")


CHECK = Check(
    name="empty-dir",
    suite=Suite.STORAGE,
    what="Two containers of a pod write and read one emptyDir.",
    why="Sidecars share files this way; on Windows a volume is a mapped directory, and mapping can fail.",
    needs=(needs.pods,),
    objects=objects,
    prove=prove,
)
