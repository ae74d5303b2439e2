"""Containers of one pod reach each other by UDP."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.checks.network._reach import NO_PACKETS
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt, expect
from transom.verify.running.case import Case
from transom.verify.running.objects import SERVER, UDP_PORT, pod, served

_OWN_PORT = 8090


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod of two containers, each with ports of its own."""
    return (
        pod(case, SERVER, [served(case, http=_OWN_PORT, udp=_OWN_PORT), served(case, "other")]),
    )


async def prove(attempt: Attempt) -> None:
    """Have one container ask the other at the address that both share."""
    told = await attempt.dialed(SERVER, "127.0.0.1", UDP_PORT, "udp", own_port=_OWN_PORT)
    expect(told.lower(), SERVER, "what a container of the pod reached at the other one's port")


CHECK = Check(
    name="within-pod-udp",
    suite=Suite.NETWORK,
    what="Containers of one pod reach each other at localhost by UDP.",
    why="Sidecars rely on it; on Windows the containers of a pod share a network compartment.",
    needs=(needs.isolated, needs.pods),
    objects=objects,
    prove=prove,
    patience_s=60,
    lab=NO_PACKETS,
)
