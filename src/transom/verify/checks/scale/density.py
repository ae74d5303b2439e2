"""Many pods at once start on the node in time."""

from transom.model.manifest import Manifest
from transom.verify.check import Certain, Check, Fault, Suite
from transom.verify.checks.scale.start_up import seconds_to_ready
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.objects import shell
from transom.verify.running.pods import is_ready, trouble
from transom.workload.field_values import MEBIBYTE, read_quantity

# Of what pods may have, so much at most is taken: others run there too.
_SHARE = 0.5


def pods_of(case: Case) -> int:
    """As many as the facts say, or as many as half of the node's memory and its limit of pods hold."""
    memory = read_quantity(case.node.allocatable.get("memory")) or 0.0
    each = float(case.expected("pod-mebibytes")) * MEBIBYTE
    most = read_quantity(case.node.allocatable.get("pods")) or 0.0
    return int(min(float(case.expected("density-pods")), memory * _SHARE / each, most * _SHARE))


def room(case: Case) -> str:
    """Several pods must fit."""
    return "" if pods_of(case) > 1 else "the node's allocatable memory does not hold several pods"


def objects(case: Case) -> tuple[Manifest, ...]:
    """The pods."""
    return tuple(shell(case, f"pod-{number}") for number in range(pods_of(case)))


async def prove(attempt: Attempt) -> None:
    """All are Ready; the slowest decides."""
    slowest = 0.0
    for number in range(pods_of(attempt.case)):
        found = await attempt.found(f"pod-{number}")
        if not is_ready(found):
            raise Fault(f"pod-{number} of {pods_of(attempt.case)} is not Ready: {trouble(found)}")
        slowest = max(slowest, seconds_to_ready(found))
    most = float(attempt.case.expected("density-start-s"))
    attempt.evidence["start-up"] = f"{pods_of(attempt.case)} pods, the slowest {slowest:.0f} s"
    if slowest > most:
        raise Certain(
            f"of {pods_of(attempt.case)} pods the slowest took {slowest:.0f} s, over {most:.0f} s"
        )


CHECK = Check(
    name="density",
    suite=Suite.SCALE,
    what="Many pods start on the node at once, sized to Windows' images and to half of its memory.",
    why="HNS and the runtime take locks: a node that starts one pod quickly may start ten in minutes.",
    needs=(needs.pods, room),
    objects=objects,
    prove=prove,
    awaits_pods=False,
    patience_s=600,
    is_disruptive=True,
)
