"""The namespaces of checks: made with a label and an end, deleted, and swept up after a run that was killed."""

from transom.kube.door import Door, Resource, Selection
from transom.kube.errors import Conflict
from transom.model.manifest import Manifest, ObjectName
from transom.verify.running.case import Case

LABEL = "transom.dev/verify"
EXPIRES = "transom.dev/expires"
NAMESPACE = Resource("Namespace", "v1", "namespaces", namespaced=False)


def namespace(case: Case, run: str, expires: int) -> Manifest:
    """A check's namespace; pods that act on nodes are allowed in it."""
    labels = {
        LABEL: run,
        "app.kubernetes.io/managed-by": "transom",
        "pod-security.kubernetes.io/enforce": "privileged",
    }
    annotations = {EXPIRES: str(expires), "transom.dev/node": case.node.name}
    metadata = {"name": case.namespace, "labels": labels, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


async def account_of(door: Door, name: str) -> bool:
    """Whether pods can be created in a namespace: it has its default ServiceAccount."""
    return await door.get(ObjectName("v1", "ServiceAccount", name, "default")) is not None


async def delete(door: Door, name: str) -> bool:
    """Ask for a namespace to go; False where it is gone."""
    found = await door.get(ObjectName("v1", "Namespace", "", name))
    if found is None:
        return False
    if not found["metadata"].get("deletionTimestamp"):
        await door.delete(ObjectName("v1", "Namespace", "", name))
    return True


async def sweep(door: Door) -> tuple[str, ...]:
    """Delete the namespaces that a run left which was killed: those whose time is over. Give their names."""
    now, swept = await door.time(), []
    listed = await door.listed(NAMESPACE, Selection())
    for item in listed.items:
        metadata = item["metadata"]
        until = (metadata.get("annotations") or {}).get(EXPIRES, "")
        if LABEL not in (metadata.get("labels") or {}) or not until.isdigit() or int(until) > now:
            continue
        try:
            await delete(door, metadata["name"])
        except Conflict:
            continue
        swept.append(metadata["name"])
    return tuple(swept)
