"""A change of a ConfigMap reaches the file in a running pod."""

from transom.kube.door import CONFIG_MAP
from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, expect
from transom.verify.running.case import Case
from transom.verify.running.objects import SHELL, data, shell

_NAME, _PATH, _OLD, _NEW = "words", r"C:\verify-update", "before", "after"


def objects(case: Case) -> tuple[Manifest, ...]:
    """The ConfigMap, and a pod with its file."""
    volume = {"name": "words", "configMap": {"name": _NAME}}
    return (
        data(case, "ConfigMap", _NAME, {"word": _OLD}),
        shell(case, mounts={"words": _PATH}, volumes=[volume]),
    )


async def prove(attempt: Attempt) -> None:
    """Read, change once, and read until it is there."""
    text = await attempt.line(SHELL, rf"type {_PATH}\word")
    if "changed" not in attempt.memory:
        expect(text, _OLD, "the file before the change")
        await attempt.door.patch(attempt.name(_NAME, CONFIG_MAP), {"data": {"word": _NEW}})
        attempt.memory["changed"] = True
    expect(text, _NEW, "the file after the change")


CHECK = Check(
    name="mounted-update",
    suite=Suite.STORAGE,
    what="A changed ConfigMap changes the file that a running pod reads, within the kubelet's period.",
    why="The kubelet swaps a symbolic link; a mapping that resolved it once shows the old file for ever.",
    needs=(needs.pods,),
    objects=objects,
    prove=prove,
    patience_s=180,
)
