"""After a reboot the node is Ready and its pods run again."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Fault, NotProven, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.look import read_node
from transom.verify.running.objects import HOST, SHELL, host_process, shell
from transom.verify.running.pods import container_statuses, is_ready

_COMMAND = ("shutdown.exe", "/r", "/t", "5", "/c", "transom verify: reboot")


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod that is to come back, and one that asks for the reboot."""
    return (shell(case), host_process(case))


async def prove(attempt: Attempt) -> None:
    """Ask once; then wait for another boot, the Node and the pod."""
    node = await read_node(attempt.door, attempt.case.node.name)
    if "asked" not in attempt.memory:
        if not node.boot:
            raise NotProven("the Node has no boot id, so a reboot cannot be told from none")
        attempt.memory["boot"], attempt.memory["asked"] = node.boot, True
        attempt.memory["restarts"] = await _restarts(attempt)
        done = await attempt.execute(HOST, *_COMMAND)
        if done.code != 0:
            raise NotProven(f"the reboot was refused: shutdown.exe ended with {done.code}")
    if node.boot == attempt.memory["boot"]:
        raise Fault("the node was asked to reboot and did not")
    if not node.ready:
        raise Fault(f"the node rebooted and is not Ready: {node.problem}")
    if (
        not is_ready(await attempt.found(SHELL))
        or await _restarts(attempt) <= attempt.memory["restarts"]
    ):
        raise Fault("the node rebooted, and the pod that ran before does not run again")
    attempt.evidence["boot"] = f"{attempt.memory['boot']} before, {node.boot} after"


async def _restarts(attempt: Attempt) -> int:
    found = container_statuses(await attempt.found(SHELL))
    return sum(int(item.get("restartCount") or 0) for item in found)


CHECK = Check(
    name="reboot",
    suite=Suite.WORKLOAD,
    what="The node reboots, becomes Ready, and a pod that ran before runs again.",
    why="Windows reboots every month for updates; networks of HNS and services' order break there.",
    needs=(needs.pods,),
    gates=("WindowsHostProcessContainers",),
    objects=objects,
    prove=prove,
    patience_s=1200,
    is_disruptive=True,
    lab="its kubelet has no boot id of Windows",
)
