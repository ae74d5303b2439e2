"""Objects of the Kubernetes API as the values of `api`. Called by `client`."""

from lightkube.models.meta_v1 import Status
from lightkube.resources import core_v1

from transom.kube.api import Node, Pod

_MIRROR = "kubernetes.io/config.mirror"
_FINISHED = ("Succeeded", "Failed")
_BUDGET = "DisruptionBudget"


def node_of(found: core_v1.Node) -> Node:
    """A Node."""
    status, metadata = found.status, found.metadata
    assert metadata is not None
    assert metadata.name is not None
    conditions = (status.conditions if status else None) or []
    ready = next((item for item in conditions if item.type == "Ready"), None)
    is_ready = ready is not None and ready.status == "True"
    info = status.nodeInfo if status else None
    return Node(
        name=metadata.name,
        ready=is_ready,
        problem="" if is_ready or ready is None else ready.message or "",
        unschedulable=bool(found.spec and found.spec.unschedulable),
        labels=metadata.labels or {},
        kubelet=info.kubeletVersion.removeprefix("v") if info else "",
        system=info.operatingSystem if info else "",
        kernel=info.kernelVersion if info else "",
        runtime=info.containerRuntimeVersion if info else "",
        addresses=tuple(
            item.address
            for item in (status.addresses if status else None) or ()
            if item.type == "InternalIP"
        ),
        taints=tuple(
            f"{item.key}={item.value}:{item.effect}" if item.value else f"{item.key}:{item.effect}"
            for item in (found.spec.taints if found.spec else None) or ()
        ),
    )


def pod_of(found: core_v1.Pod) -> Pod:
    """A pod."""
    metadata, spec, status = found.metadata, found.spec, found.status
    assert metadata is not None
    owners = metadata.ownerReferences or ()
    return Pod(
        namespace=metadata.namespace or "",
        name=metadata.name or "",
        node=(spec.nodeName if spec else None) or "",
        labels=metadata.labels or {},
        controller=next((item.kind for item in owners if item.controller), ""),
        is_mirror=_MIRROR in (metadata.annotations or {}),
        is_finished=bool(status and status.phase in _FINISHED),
        is_leaving=metadata.deletionTimestamp is not None,
        has_empty_dir=any(item.emptyDir is not None for item in (spec and spec.volumes) or ()),
    )


def budget_in(status: Status) -> str:
    """What a refused eviction says of the budget that refused it; empty where none did."""
    causes = (status.details.causes if status.details else None) or ()
    return next((item.message or _BUDGET for item in causes if item.reason == _BUDGET), "")
