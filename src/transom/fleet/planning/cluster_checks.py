"""Whether a fleet and the cluster as it is now go together. Pure.

What cannot work is refused with the place it is said at; what
a recipe puts right on the hosts is noted; workloads that would start on the new nodes by mistake are
named with the patch that keeps them off.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from transom.facts import rows
from transom.facts.gates import Gate
from transom.facts.network import PluginRow
from transom.fleet.cluster import ClusterEntry, flannel_mode
from transom.model.fleet import Host
from transom.model.problem import Refusal
from transom.model.records import dataclass
from transom.recipe.case import Case, shapes_of
from transom.recipe.kubelet import kubelet_plan
from transom.recipe.refusals.because import because
from transom.recipe.refusals.kubelet import field_refusals, gate_refusals
from transom.recipe.settings import merged
from transom.recipe.shape import Shape
from transom.workload.context import LintContext, OperatingSystem
from transom.workload.platform import (
    OS_LABELS,
    decide,
    is_let_in,
    placement,
    taints_in_the_way,
)
from transom.workload.pods import PodView, mapping, objects_in, pods_in

_KUBELET_CONFIG = "ConfigMap kube-system/kubelet-config"
_FLANNEL_CONFIG = "ConfigMap kube-flannel-cfg"
_HOSTPROCESS = "WindowsHostProcessContainers"
_KUBEADM_CONFIG = "ConfigMap kube-system/kubeadm-config"
_LINUX_ONLY = {
    "spec": {"template": {"spec": {"nodeSelector": {OS_LABELS[0]: OperatingSystem.LINUX.value}}}}
}
# What every Windows node has without anybody saying so.
_OWN_LABELS = {
    "kubernetes.io/os": "windows",
    "beta.kubernetes.io/os": "windows",
    "kubernetes.io/arch": "amd64",
    "beta.kubernetes.io/arch": "amd64",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Misplaced:
    """A DaemonSet that would start on the new Windows nodes, and the patch against it."""

    namespace: str
    name: str
    reason: str
    patch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What the comparison yields."""

    refusals: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()
    misplaced: tuple[Misplaced, ...] = field(default=())


def check_cluster(
    cases: Sequence[Case], entry: ClusterEntry, daemon_sets: Sequence[Mapping[str, Any]]
) -> Checked:
    """Compare the hosts' cases with the cluster."""
    notes: dict[str, None] = {}
    refusals: dict[Refusal, None] = {}
    for shape in shapes_of(cases):
        refusals.update(dict.fromkeys(_network(shape, entry, daemon_sets)))
        refusals.update(dict.fromkeys(_server_gates(shape, entry)))
        refused, patched = _kubelet_config(shape, entry)
        refusals.update(dict.fromkeys(refused))
        notes.update(dict.fromkeys(patched))
    return Checked(
        refusals=tuple(refusals),
        notes=tuple(notes),
        misplaced=tuple(_misplaced(cases, daemon_sets)),
    )


def _server_gates(shape: Shape, entry: ClusterEntry) -> Iterator[Refusal]:
    """A gate that HostProcess pods need of the API server, turned off there."""
    row = next(row for row in rows.read(Gate) if row.name == _HOSTPROCESS)
    if shape.privileged == "hostprocess" and entry.gates.get(row.name) is False:
        yield because(
            row,
            f"{_KUBEADM_CONFIG} apiServer.extraArgs",
            f"{row.name}=false",
            "the API server refuses HostProcess pods, which kube-proxy and the network run in",
            f"Leave {row.name} on in the API server, or use privilegedMode: Services.",
        )


def _network(
    shape: Shape, entry: ClusterEntry, daemon_sets: Sequence[Mapping[str, Any]]
) -> Iterator[Refusal]:
    row = shape.plugin_row
    if row is None:
        return
    there = plugin_of(entry, daemon_sets)
    if there is not None and shape.plugin not in (there.name, "external"):
        yield because(
            row,
            "network",
            f"{shape.plugin} in the fleet, {there.title} on the cluster's Linux nodes",
            "pods of two different networks do not reach each other",
            f"Write network.{there.name}, as the cluster has it.",
        )
        return
    network = shape.fleet.network
    for name, ours, theirs in (
        ("podCIDRs", network.pod_cidrs, entry.pod_cidrs),
        ("serviceCIDRs", network.service_cidrs, entry.service_cidrs),
    ):
        if theirs and set(ours) != set(theirs):
            yield because(
                row,
                f"network.{name}",
                ", ".join(ours),
                f"{_KUBEADM_CONFIG} says {', '.join(theirs)}",
                "Write what the cluster has.",
            )
    if shape.plugin == "flannel" and entry.flannel is not None:
        yield from _flannel(shape, entry.flannel, row)


def _flannel(shape: Shape, settings: Mapping[str, Any], row: PluginRow) -> Iterator[Refusal]:
    backend = mapping(settings.get("Backend"))
    mode = flannel_mode(settings)
    if mode is None or mode.value != shape.mode:
        found = (
            f"{shape.mode} in the fleet, {backend.get('Type') or 'no backend'} in {_FLANNEL_CONFIG}"
        )
        yield because(
            row,
            "network.flannel.mode",
            found,
            "nodes with different backends do not reach each other's pods",
            f"Write mode: {mode.value}." if mode else "Set its Backend to vxlan or host-gw.",
        )
        return
    if shape.mode != "overlay":
        return
    for key, theirs, ours in (
        ("vni", backend.get("VNI"), shape.vni),
        ("port", backend.get("Port"), shape.port),
    ):
        if theirs != ours:
            upstream = {"vni": "VNI", "port": "Port"}[key]
            yield because(
                row,
                f"network.flannel.{key}",
                f"{ours} in the fleet, {theirs or 'none'} in {_FLANNEL_CONFIG}",
                "both sides of a VXLAN must agree, and Windows cannot use the defaults of Linux",
                f'Set "{upstream}": {ours} in its Backend and restart Flannel on the Linux nodes'
                + (f", or write {key}: {theirs}." if theirs else "."),
            )


def plugin_of(entry: ClusterEntry, daemon_sets: Sequence[Mapping[str, Any]]) -> PluginRow | None:
    """The Linux side's plugin, by what it leaves in every cluster."""
    known = rows.read(PluginRow)
    if entry.flannel is not None:
        return next((row for row in known if row.name == "flannel"), None)
    names = {str(mapping(item.get("metadata")).get("name")) for item in daemon_sets}
    return next((row for row in known if names & set(row.daemon_sets)), None)


def _kubelet_config(shape: Shape, entry: ClusterEntry) -> tuple[list[Refusal], list[str]]:
    """What a Windows kubelet refuses of the cluster's configuration, and what the recipe mends."""
    ours = kubelet_plan(shape).config
    whole = {**entry.kubelet, **{k: merged(entry.kubelet.get(k), v) for k, v in ours.items()}}

    def judged(config: Mapping[str, Any]) -> list[Refusal]:
        def where(path: str) -> str:
            return f"{_KUBELET_CONFIG}: {path}"

        gates = mapping(config.get("featureGates"))
        return [
            *field_refusals(config, shape.at, where),
            *gate_refusals(gates, shape.kubernetes, where),
        ]

    left = judged(whole)
    kept = {refusal.subject for refusal in left}
    mended = [refusal for refusal in judged(entry.kubelet) if refusal.subject not in kept]
    return left, [
        f"{item.subject} is {item.found}, which a Windows kubelet refuses; it is patched on the hosts"
        for item in mended
    ]


def _misplaced(
    cases: Sequence[Case], daemon_sets: Sequence[Mapping[str, Any]]
) -> Iterator[Misplaced]:
    for item in daemon_sets:
        # A list leaves out the kind of its items.
        for view in objects_in({**item, "apiVersion": "apps/v1", "kind": "DaemonSet"}):
            for pod in pods_in(view):
                landing = [case.host for case in cases if _lands(pod, case)]
                if landing:
                    yield _patch(view.namespace, view.name, landing)


def _lands(pod: PodView, case: Case) -> bool:
    """Whether a pod that is not meant for Windows would be placed on the host."""
    ctx = LintContext(kubernetes=case.shape.kubernetes, taints=case.host.taints)
    decide(pod, ctx)
    if pod.is_windows or is_let_in(pod) or any(True for _ in placement(pod, ctx)):
        return False
    selector = mapping(pod.spec.get("nodeSelector"))
    return _selects(selector, case.host) and not any(taints_in_the_way(pod, ctx))


def _selects(selector: Mapping[str, Any], host: Host) -> bool:
    labels = {**_OWN_LABELS, "kubernetes.io/hostname": host.node_name, **host.labels}
    return all(labels.get(key) == value for key, value in selector.items())


def _patch(namespace: str, name: str, hosts: Sequence[Host]) -> Misplaced:
    tainted = any(host.taints for host in hosts)
    why = "tolerates the hosts' taints and selects no OS" if tainted else "selects no OS"
    patch = json.dumps(_LINUX_ONLY, separators=(",", ":"))
    return Misplaced(
        namespace=namespace,
        name=name,
        reason=why,
        patch=f"kubectl -n {namespace} patch daemonset {name} --type merge -p '{patch}'",
    )
