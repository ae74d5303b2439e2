"""What checks found, as a condition of the Node, so that what watches nodes can act on it."""

from datetime import UTC, datetime

from transom.kube.door import Door, Patch
from transom.model.manifest import ObjectName
from transom.verify.check import CheckOutcome
from transom.verify.summary import Verification

TYPE = "TransomVerified"
_LONGEST = 900


async def publish(door: Door, found: Verification) -> None:
    """Write the condition of each node that checks ran on."""
    moment = datetime.fromtimestamp(await door.time(), tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for node in found.nodes:
        name = ObjectName("v1", "Node", "", node.name)
        there = await door.get(name)
        if there is None:
            continue
        before = (there.get("status") or {}).get("conditions") or ()
        made = condition(found, node.name, moment)
        for was in before:
            if was["type"] == TYPE and was.get("status") == made["status"]:
                made["lastTransitionTime"] = was.get("lastTransitionTime") or moment
        # Conditions are merged by their type: what the kubelet writes meanwhile stays.
        change = {"status": {"conditions": [made]}}
        await door.patch(name, change, patch=Patch.STRATEGIC, subresource="status")


def condition(found: Verification, node: str, moment: str) -> dict[str, str]:
    """True where all that ran passed, False where something failed, Unknown where nothing is proven."""
    failed = [
        item for item in found.results if item.node == node and item.outcome is CheckOutcome.FAILED
    ]
    passed = found.count(CheckOutcome.PASSED, node)
    not_run = len([item for item in found.results if item.node == node]) - passed - len(failed)
    if failed:
        status, reason = "False", "ChecksFailed"
        told = "; ".join(f"{item.check}: {item.message}" for item in failed)
    else:
        status, reason = ("True", "ChecksPassed") if passed else ("Unknown", "NothingProven")
        told = f"{passed} checks passed, {not_run} were not run"
    return {
        "type": TYPE,
        "status": status,
        "reason": reason,
        "message": f"run {found.run}: {told}"[:_LONGEST],
        "lastHeartbeatTime": moment,
        "lastTransitionTime": moment,
    }
