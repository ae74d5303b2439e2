"""Objects of the Kubernetes API as values: a Node, a pod, a Secret.

What a server answers is read here and in `sight`; an answer in another form is an error that says so.
"""

import base64
from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import UTC, datetime
from typing import Any, TypeVar

from transom.errors import PermanentError
from transom.model.manifest import Manifest
from transom.model.records import dataclass

_MIRROR = "kubernetes.io/config.mirror"
_FINISHED = ("Succeeded", "Failed")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A Node as far as a fleet needs it; `problem` is why it is not Ready, in the kubelet's words.

    `system` is `windows` or `linux`, `kernel` its build in full, `runtime` such as
    `containerd://2.2.1`. Taints are as kubectl writes them: `os=windows:NoSchedule`.
    `cordoned_by` is the field manager that made it unschedulable, where the API server knows one.
    """

    name: str
    ready: bool
    problem: str = ""
    unschedulable: bool = False
    cordoned_by: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    kubelet: str = ""
    system: str = ""
    kernel: str = ""
    runtime: str = ""
    addresses: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod on a node, as far as draining needs it; `controller` is the kind that made it."""

    namespace: str
    name: str
    node: str
    labels: Mapping[str, str] = field(default_factory=dict)
    controller: str = ""
    is_mirror: bool = False
    is_finished: bool = False
    is_leaving: bool = False
    has_empty_dir: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A Secret to be made; its text form shows no value."""

    namespace: str
    name: str
    type: str
    data: Mapping[str, str] = field(repr=False)


def decoded(read: Callable[[Manifest], _T], found: Manifest) -> _T:
    """What `read` makes of an object; an object in another form is an error that names it."""
    try:
        return read(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        kind, metadata = found.get("kind", "object"), found.get("metadata")
        name = metadata.get("name", "") if isinstance(metadata, dict) else ""
        raise PermanentError(
            f"cannot read {kind} {name}: the API server answered it in a form that is not known",
            subject=f"{kind} {name}",
            hint="check that the server in the kubeconfig is an API server",
        ) from error


def node_of(found: Manifest) -> Node:
    """A Node."""
    status, metadata, spec = part(found, "status"), found["metadata"], part(found, "spec")
    ready = next((item for item in status.get("conditions") or () if item["type"] == "Ready"), None)
    is_ready = ready is not None and ready["status"] == "True"
    info = part(status, "nodeInfo")
    return Node(
        name=metadata["name"],
        ready=is_ready,
        problem="" if is_ready or ready is None else ready.get("message") or "",
        unschedulable=bool(spec.get("unschedulable")),
        cordoned_by=_cordoned_by(metadata),
        labels=part(metadata, "labels"),
        annotations=part(metadata, "annotations"),
        kubelet=info.get("kubeletVersion", "").removeprefix("v"),
        system=info.get("operatingSystem", ""),
        kernel=info.get("kernelVersion", ""),
        runtime=info.get("containerRuntimeVersion", ""),
        addresses=tuple(
            item["address"]
            for item in status.get("addresses") or ()
            if item["type"] == "InternalIP"
        ),
        taints=tuple(map(_taint, spec.get("taints") or ())),
    )


def _cordoned_by(metadata: Mapping[str, Any]) -> str:
    """Who made a Node unschedulable, as the API server wrote it down; empty where it did not."""
    for entry in metadata.get("managedFields") or ():
        if "f:unschedulable" in part(part(entry, "fieldsV1"), "f:spec"):
            return str(entry.get("manager") or "")
    return ""


def _taint(taint: Mapping[str, str]) -> str:
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint['key']}{value}:{taint['effect']}"


def pod_of(found: Manifest) -> Pod:
    """A pod."""
    metadata, spec = found["metadata"], part(found, "spec")
    owners = metadata.get("ownerReferences") or ()
    return Pod(
        namespace=metadata.get("namespace", ""),
        name=metadata["name"],
        node=spec.get("nodeName", ""),
        labels=part(metadata, "labels"),
        controller=next((item["kind"] for item in owners if item.get("controller")), ""),
        is_mirror=_MIRROR in part(metadata, "annotations"),
        is_finished=part(found, "status").get("phase") in _FINISHED,
        is_leaving=metadata.get("deletionTimestamp") is not None,
        has_empty_dir=any("emptyDir" in item for item in spec.get("volumes") or ()),
    )


def secret_data(found: Manifest) -> dict[str, bytes]:
    """What a Secret holds."""
    return {key: base64.b64decode(text) for key, text in part(found, "data").items()}


def secret_manifest(secret: Secret) -> Manifest:
    """A Secret as it is sent."""
    encoded = {key: base64.b64encode(text.encode()).decode() for key, text in secret.data.items()}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": secret.name, "namespace": secret.namespace},
        "type": secret.type,
        "data": encoded,
    }


def created(found: Manifest) -> int:
    """When an object was made, in seconds since the epoch; zero where it is not told."""
    text = found["metadata"].get("creationTimestamp")
    if not text:
        return 0
    told = datetime.fromisoformat(text)
    return int((told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp())


def part(found: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A mapping below another; empty where it is missing."""
    value = found.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError(key)
    return value
