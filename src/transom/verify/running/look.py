"""The cluster as checks need it, read once: nodes, what their kubelets run with, classes and kinds."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from transom.errors import PermanentError
from transom.kube.answers import decoded, node_of, part
from transom.kube.api import Api
from transom.kube.door import NODE, Door
from transom.kube.errors import Forbidden, NotFound, Unavailable
from transom.model.fleet import FLANNEL_MODES, NetworkMode
from transom.model.manifest import Manifest, ObjectName
from transom.verify.running.case import WINDOWS, NodeFacts, Setting, Wish

_KERNEL = re.compile(r"10\.0\.([0-9]{4,6})(?:\.([0-9]{1,6}))?")
_FLANNEL, _CALICO = "flannel.alpha.coreos.com/backend-type", "projectcalico.org/"
METRICS, GMSA = "NodeMetrics", "GMSACredentialSpec"
_KINDS = {METRICS: "metrics.k8s.io/v1beta1", GMSA: "windows.k8s.io/v1"}
# Where the providers' names stand: azure:///subscriptions/..., aws:///eu-central-1a/i-0123.
_PROVIDER = re.compile(r"([a-z0-9]+)://")


async def look(
    api: Api, wish: Wish, *, mode: NetworkMode | None = None, network: str = ""
) -> Setting:
    """Read what decides which checks apply, and where."""
    door = api.door
    found = (await door.listed(NODE)).items
    nodes = [decoded(_node, item) for item in found]
    if not network:
        network, mode = _network(found)
    classes = await door.list("node.k8s.io/v1", "RuntimeClass")
    providers = (_PROVIDER.match(str(part(item, "spec").get("providerID") or "")) for item in found)
    return Setting(
        version=await api.version(),
        nodes=tuple([await _with_config(door, node) for node in nodes]),
        wish=wish,
        mode=mode,
        network=network,
        provider=next((match[1] for match in providers if match), ""),
        runtime_classes={
            item["metadata"]["name"]: str(item.get("handler", "")) for item in classes
        },
        cluster_dns=await _cluster_dns(door),
        kinds=frozenset(
            [kind for kind, version in _KINDS.items() if await _serves(door, version, kind)]
        ),
    )


def _network(nodes: Sequence[Manifest]) -> tuple[str, NetworkMode | None]:
    """What the nodes' annotations say about the network; empty where they do not."""
    for item in nodes:
        annotations = part(item["metadata"], "annotations")
        backend = annotations.get(_FLANNEL)
        if backend:
            return "flannel", FLANNEL_MODES.get(str(backend))
        if any(key.startswith(_CALICO) for key in annotations):
            return "calico", None
    return "", None


def _node(found: Manifest) -> NodeFacts:
    node, status = node_of(found), part(found, "status")
    kernel = _KERNEL.match(node.kernel)
    info = part(status, "nodeInfo")
    return NodeFacts(
        name=node.name,
        system=node.system,
        ready=node.ready,
        problem=node.problem,
        unschedulable=node.unschedulable,
        build=int(kernel[1]) if kernel else 0,
        revision=(kernel[2] or "") if kernel else "",
        kubelet=node.kubelet,
        runtime=node.runtime,
        boot=str(info.get("bootID") or ""),
        address=node.addresses[0] if node.addresses else "",
        capacity=part(status, "capacity"),
        allocatable=part(status, "allocatable"),
        conditions={item["type"]: item["status"] for item in status.get("conditions") or ()},
    )


async def read_node(door: Door, name: str) -> NodeFacts:
    """A node as it is now."""
    found = await door.get(ObjectName("v1", "Node", "", name))
    if found is None:
        raise NotFound(f"there is no Node {name}", subject=name)
    return decoded(_node, found)


async def _with_config(door: Door, node: NodeFacts) -> NodeFacts:
    """The node with what its kubelet runs with; without where that cannot be asked for."""
    if node.system != WINDOWS or not node.ready:
        return node
    try:
        config = json.loads(await door.ask_kubelet(node.name, "configz"))["kubeletconfig"]
    except (Forbidden, NotFound, Unavailable, PermanentError, ValueError, KeyError, TypeError):
        return node
    return replace(node, config=config) if isinstance(config, dict) else node


async def _serves(door: Door, version: str, kind: str) -> bool:
    """Whether a kind is there; an aggregated API that is down is not."""
    try:
        return await door.serves(version, kind)
    except (PermanentError, Unavailable):
        return False


async def _cluster_dns(door: Door) -> str:
    found = await door.get(ObjectName("v1", "Service", "kube-system", "kube-dns"))
    spec: Mapping[str, Any] = part(found, "spec") if found else {}
    return str(spec.get("clusterIP") or "")
