"""When the node shuts down, its pods are ended in order and say so."""

from transom.model.manifest import Manifest
from transom.verify.check import Certain, Check, Fault, NotProven, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.look import read_node
from transom.verify.running.objects import HOST, SHELL, host_process, shell

_COMMAND = ("shutdown.exe", "/r", "/t", "5", "/c", "transom verify: graceful shutdown")
_WORDS = "node shutdown"


def period(case: Case) -> str:
    """The kubelet must have been given time."""
    text = str(case.node.config.get("shutdownGracePeriod") or "0s")
    if text.strip("0smh.") == "":
        return "the kubelet's shutdownGracePeriod is zero: pods are not ended in order"
    return ""


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod that is to be ended and not to come back, and one that asks for the reboot."""
    return (shell(case, restartPolicy="Never"), host_process(case))


async def prove(attempt: Attempt) -> None:
    """Ask once; then the pod must say that the node's shutdown ended it."""
    node = await read_node(attempt.door, attempt.case.node.name)
    if "asked" not in attempt.memory:
        attempt.memory["boot"], attempt.memory["asked"] = node.boot, True
        done = await attempt.execute(HOST, *_COMMAND)
        if done.code != 0:
            raise NotProven(f"the reboot was refused: shutdown.exe ended with {done.code}")
    status = (await attempt.found(SHELL)).get("status") or {}
    told = f"{status.get('reason') or ''} {status.get('message') or ''}".strip()
    if _WORDS in told.lower():
        attempt.evidence["pod"] = told
        if not node.ready or node.boot == attempt.memory["boot"]:
            raise Fault("the pod was ended in order, and the node is not back")
        return
    if node.ready and node.boot != attempt.memory["boot"]:
        raise Certain(f"the node rebooted without ending its pod in order; the pod says {told!r}")
    raise Fault("the node was asked to shut down and did not end its pod")


CHECK = Check(
    name="graceful-shutdown",
    suite=Suite.WORKLOAD,
    what="When Windows shuts down, the kubelet ends its pods in order first.",
    why="Without it pods are cut off, and Services send them traffic until the node is lost.",
    needs=(needs.pods, needs.kubelet_config, period),
    gates=("WindowsGracefulNodeShutdown",),
    objects=objects,
    prove=prove,
    patience_s=1200,
    is_disruptive=True,
    lab="Windows' shutdown is not carried out there while services are told of it",
)
