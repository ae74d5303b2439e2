"""Pods on Windows and on Linux reach each other."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.checks.network._reach import NO_PACKETS, from_pod
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, expect
from transom.verify.running.case import LINUX, Case
from transom.verify.running.objects import HTTP_PORT, SERVER, server

_LINUX = "linux"


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod here and one on a Linux node."""
    return (server(case), server(case, _LINUX, on=case.peer(LINUX)))


async def prove(attempt: Attempt) -> None:
    """Ask from Windows; then fetch from Linux, whose image has another curl."""
    here, away = await attempt.pod_address(SERVER), await attempt.pod_address(_LINUX)
    await from_pod(attempt, SERVER, away, HTTP_PORT, "http", answers=_LINUX)
    told = await attempt.said(
        _LINUX, "curl", "-g", "-s", "-S", "--max-time", "10", f"http://{here}:{HTTP_PORT}/hostname"
    )
    expect(told.lower(), SERVER, "what the Linux pod reached at the Windows pod's address")


CHECK = Check(
    name="across-systems",
    suite=Suite.NETWORK,
    what="A pod on this node and a pod on a Linux node reach each other, in both directions.",
    why="Most clusters have their DNS, ingress and databases on Linux; VNI and port differ by default.",
    needs=(needs.isolated, needs.pods, needs.linux_node),
    objects=objects,
    prove=prove,
    patience_s=90,
    lab=NO_PACKETS,
)
