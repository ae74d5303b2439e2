"""A pod whose image is on the node is Ready in time."""

from contextlib import suppress
from datetime import datetime

from transom.kube.errors import AlreadyExists
from transom.model.manifest import Manifest
from transom.verify.check import Certain, Check, Fault, NotProven, Suite
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.objects import shell
from transom.verify.running.pods import is_ready, trouble

_SECOND = "second"


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod that brings the image; the second one is made when it is there."""
    return (shell(case),)


async def prove(attempt: Attempt) -> None:
    """Make the second pod, and take the time from its creation to Ready."""
    if "second" not in attempt.memory:
        with suppress(AlreadyExists):
            await attempt.door.create(shell(attempt.case, _SECOND))
        attempt.memory["second"] = True
    found = await attempt.found(_SECOND)
    if not is_ready(found):
        raise Fault(f"a pod whose image is on the node is not Ready: {trouble(found)}")
    took, most = seconds_to_ready(found), float(attempt.case.expected("start-s"))
    attempt.evidence["start-up"] = f"{took:.0f} s of {most:.0f} s"
    if took > most:
        raise Certain(
            f"a pod whose image is on the node took {took:.0f} s to be Ready, over {most:.0f} s"
        )


def seconds_to_ready(pod: Manifest) -> float:
    """From a pod's creation to its being Ready, by the cluster's clock."""
    ready = next((c for c in pod["status"].get("conditions") or () if c["type"] == "Ready"), None)
    try:
        begun = datetime.fromisoformat(pod["metadata"]["creationTimestamp"])
        ended = datetime.fromisoformat((ready or {})["lastTransitionTime"])
    except (KeyError, ValueError, TypeError) as error:
        raise NotProven("the pod does not say when it became Ready") from error
    return (ended - begun).total_seconds()


CHECK = Check(
    name="start-up",
    suite=Suite.SCALE,
    what="A pod whose image is on the node is Ready within the time that Windows needs.",
    why="Antivirus, disks and HNS make starts slow long before they fail.",
    needs=(needs.pods,),
    objects=objects,
    prove=prove,
    pods_deadline_s=900,
    patience_s=300,
    lab_fault="a start of over a minute is not made there",
)
