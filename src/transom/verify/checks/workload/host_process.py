"""A HostProcess container is a process of the node itself, as its system account."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Fault, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, shown
from transom.verify.running.case import Case
from transom.verify.running.objects import HOST, host_process

_SEES = r"if exist C:\Windows\System32\drivers\etc\hosts echo sees-the-node"


def objects(case: Case) -> tuple[Manifest, ...]:
    """One HostProcess pod."""
    return (host_process(case),)


async def prove(attempt: Attempt) -> None:
    """It sees the node's files and has the node's address."""
    text = await attempt.line(HOST, _SEES)
    if "sees-the-node" not in text:
        raise Fault(f"the HostProcess container does not see the node's files: {shown(text)!r}")
    status = (await attempt.found(HOST))["status"]
    if status.get("podIP") != status.get("hostIP"):
        raise Fault(
            f"the HostProcess pod has the address {status.get('podIP')}, "
            f"not the node's {status.get('hostIP')}"
        )
    attempt.evidence["address"] = str(status.get("hostIP"))


CHECK = Check(
    name="host-process",
    suite=Suite.WORKLOAD,
    what="HostProcess containers run: they see the node's files and have its address.",
    why="kube-proxy, networks, CSI drivers and agents on Windows are HostProcess pods.",
    needs=(needs.pods,),
    gates=("WindowsHostProcessContainers",),
    objects=objects,
    prove=prove,
    lab_fault="HostProcess programs are the host's there in any case",
)
