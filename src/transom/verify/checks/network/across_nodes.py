"""Pods of two Windows nodes reach each other."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.checks.network._reach import NO_PACKETS, from_pod
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import WINDOWS, Case
from transom.verify.running.objects import HTTP_PORT, SERVER, server

_AWAY = "away"


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod here and one on another Windows node."""
    return (server(case), server(case, _AWAY, on=case.peer(WINDOWS)))


async def prove(attempt: Attempt) -> None:
    """Ask in both directions."""
    here, away = await attempt.pod_address(SERVER), await attempt.pod_address(_AWAY)
    await from_pod(attempt, SERVER, away, HTTP_PORT, "http", answers=_AWAY)
    await from_pod(attempt, _AWAY, here, HTTP_PORT, "http", answers=SERVER)


CHECK = Check(
    name="across-nodes",
    suite=Suite.NETWORK,
    what="Pods of this node and of another Windows node reach each other, in both directions.",
    why="Routes, VXLAN and firewalls between nodes fail in one direction only, and often on one node only.",
    needs=(needs.isolated, needs.pods, needs.another_windows_node),
    objects=objects,
    prove=prove,
    patience_s=90,
    lab=NO_PACKETS,
)
