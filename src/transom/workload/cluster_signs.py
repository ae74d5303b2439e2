"""What the objects of a cluster tell about it: builds of nodes, taints, classes, levels.

Called with a live cluster's objects, and for what stands beside the workloads in one file. Pure.
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from transom.model.version import Version
from transom.workload.context import OperatingSystem
from transom.workload.platform import builds_of_selector, label_system
from transom.workload.pods import ObjectView, mapping, pods_in, sequence

if TYPE_CHECKING:
    from transom.model.taint import Taint

# Nodes, classes and namespaces; and pods, for the flags of the API server.
KINDS = ("Node", "RuntimeClass", "Namespace", "LimitRange")

_KERNEL = re.compile(r"10\.0\.(\d{5})(?:\.\d+)?")
_LEVEL_LABEL = "pod-security.kubernetes.io/enforce"
# Set by Kubernetes itself for as long as something is the matter with a node.
_PASSING = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
_CONTAINERD = "containerd://"
_DOCKER = "docker://"
_FORBIDDEN = "--allow-privileged=false"


class ClusterSigns(NamedTuple):
    """What was seen. Taints are those that every Windows node has."""

    builds: tuple[int, ...] = ()
    containerd: Version | None = None
    docker: bool = False
    taints: "tuple[Taint, ...]" = ()
    mixed: bool = False
    pod_security: Mapping[str, str] = {}
    runtime_classes: Mapping[str, OperatingSystem] = {}
    class_builds: Mapping[str, tuple[int, ...]] = {}
    default_limits: Mapping[str, frozenset[str]] = {}


def signs_in(views: Iterable[ObjectView]) -> ClusterSigns:
    """What these objects tell; objects of other kinds tell nothing."""
    nodes: list[ObjectView] = []
    classes: dict[str, OperatingSystem] = {}
    builds: dict[str, tuple[int, ...]] = {}
    levels: dict[str, str] = {}
    limits: dict[str, frozenset[str]] = {}
    for view in views:
        if view.kind == "Node":
            nodes.append(view)
        elif view.kind == "RuntimeClass":
            selector = mapping(mapping(view.value.get("scheduling")).get("nodeSelector"))
            classes |= _system_of_class(view.name, selector)
            builds |= {view.name: found} if (found := builds_of_selector(selector)) else {}
        elif view.kind == "Namespace":
            level = mapping(view.metadata.get("labels")).get(_LEVEL_LABEL)
            levels |= {view.name: level} if isinstance(level, str) else {}
        elif view.kind == "LimitRange":
            limits[view.namespace] = limits.get(view.namespace, frozenset()) | _given_by(view)
    return _of_nodes(nodes)._replace(
        pod_security=levels,
        runtime_classes=classes,
        class_builds=builds,
        default_limits=limits,
    )


def _given_by(limit_range: ObjectView) -> frozenset[str]:
    """The resources that containers without a limit get one of; a greatest value is one as well."""
    items = map(mapping, sequence(mapping(limit_range.value.get("spec")).get("limits")))
    return frozenset(
        name
        for item in items
        if item.get("type") == "Container"
        for key in ("default", "max")
        for name in mapping(item.get(key))
    )


def node_info(node: ObjectView) -> Mapping[str, Any]:
    """The status.nodeInfo of a Node."""
    return mapping(mapping(node.value.get("status")).get("nodeInfo"))


def node_build(info: Mapping[str, Any]) -> int | None:
    """The build of a Windows node; None for any other."""
    if info.get("operatingSystem") != OperatingSystem.WINDOWS.value:
        return None
    kernel = _KERNEL.match(str(info.get("kernelVersion", "")))
    return int(kernel[1]) if kernel else None


def forbids_privileged(view: ObjectView) -> bool:
    """Whether the object is an API server that takes no privileged pods."""
    return any(
        _FORBIDDEN
        in (*sequence(container.value.get("command")), *sequence(container.value.get("args")))
        for pod in pods_in(view)
        for container in pod.containers
    )


def _of_nodes(nodes: list[ObjectView]) -> ClusterSigns:
    windows = [node for node in nodes if node_build(node_info(node))]
    runtimes = [str(node_info(node).get("containerRuntimeVersion", "")) for node in windows]
    builds = (node_build(node_info(node)) for node in windows)
    taints = [_taints(node) for node in windows]
    return ClusterSigns(
        builds=tuple(dict.fromkeys(build for build in builds if build)),
        containerd=min(_versions(runtimes), default=None),
        docker=any(runtime.startswith(_DOCKER) for runtime in runtimes),
        taints=tuple(
            taint for taint in (taints[0] if taints else ()) if all(taint in few for few in taints)
        ),
        mixed=bool(windows) and any(_takes_linux_pods(node) for node in nodes),
    )


def _versions(runtimes: Iterable[str]) -> Iterable[Version]:
    for runtime in runtimes:
        try:
            yield Version.parse(runtime.removeprefix(_CONTAINERD))
        except ValueError:
            continue


def _taints(node: ObjectView) -> "tuple[Taint, ...]":
    from transom.model.taint import Taint, TaintEffect

    found = map(mapping, sequence(mapping(node.value.get("spec")).get("taints")))
    return tuple(
        Taint(str(taint.get("key")), TaintEffect(taint["effect"]), str(taint.get("value") or ""))
        for taint in found
        if taint.get("effect") in {effect.value for effect in TaintEffect}
        and not str(taint.get("key")).startswith(_PASSING)
    )


def _takes_linux_pods(node: ObjectView) -> bool:
    is_linux = node_info(node).get("operatingSystem") == OperatingSystem.LINUX.value
    return is_linux and not any(
        taint.effect.value in ("NoSchedule", "NoExecute") for taint in _taints(node)
    )


def _system_of_class(name: str, selector: Mapping[str, Any]) -> dict[str, OperatingSystem]:
    systems = (label_system(key, value) for key, value in selector.items())
    found = next((system for system in systems if system is not None), None)
    return {} if found is None else {name: found}
