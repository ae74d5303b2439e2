"""The kubelet's configuration and arguments for a host: the facts' values, then the fleet's."""

import json
from collections.abc import Mapping
from typing import Any

from transom.facts import rows
from transom.facts.install import ManualArgumentRow, ManualSettingRow, SettingRow
from transom.facts.join import CriSocket, KubeadmApi, KubeadmPath
from transom.model.fleet import Isolation
from transom.model.recipe import ISOLATION, PREPARED, File, JoinPlan, KubeletPlan, ManualKubelet
from transom.recipe.case import Case
from transom.recipe.node_labels import own_labels
from transom.recipe.settings import merged
from transom.recipe.shape import Shape


def kubelet_plan(shape: Shape) -> KubeletPlan:
    """What is merged over the configuration that kubeadm downloads."""
    config: dict[str, Any] = {}
    why: dict[str, str] = {}
    for row in shape.rows(SettingRow):
        config[row.path] = row.value
        why[row.path] = row.id
    if shape.fleet.network.cluster_domain:
        config["clusterDomain"] = shape.cluster_domain
        why["clusterDomain"] = "fleet network.clusterDomain"
    for path, value in shape.settings.kubelet.config.items():
        config[path] = merged(config.get(path), value)
        why[path] = f"fleet kubelet.config.{path}"
    patch = rows.find(KubeadmPath, "path-kubelet-patch", shape.at)
    return KubeletPlan(
        config=config,
        patch_file=shape.say(patch.path) if patch else "",
        manual=_manual(shape, config),
        why=why,
    )


def _manual(shape: Shape, config: Mapping[str, Any]) -> ManualKubelet:
    """What kubeadm and the cluster would say, for a host that joins without kubeadm."""
    socket = rows.one(CriSocket, f"cri-socket-{shape.runtime}", shape.at).endpoint
    whole: dict[str, Any] = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "clusterDNS": list(shape.fleet.network.cluster_dns),
    }
    settings, arguments = tuple(shape.rows(ManualSettingRow)), tuple(shape.rows(ManualArgumentRow))
    for row in settings:
        whole[row.path] = _said(shape, row.value, socket)
    for path, value in config.items():
        whole[path] = merged(whole.get(path), value)
    return ManualKubelet(
        config=whole,
        arguments=tuple(shape.say(row.text, cri=socket) for row in arguments),
        why=" ".join([row.id for row in settings] + [row.id for row in arguments]),
    )


def _said(shape: Shape, value: Any, socket: str) -> Any:
    """A fact's value with the placeholders in its texts filled."""
    if isinstance(value, Mapping):
        return {key: _said(shape, item, socket) for key, item in value.items()}
    if not isinstance(value, str):
        return value
    return shape.say(value, cri=socket, cluster_domain=shape.cluster_domain)


def kubelet_files(plan: KubeletPlan) -> list[File]:
    """The patch for kubeadm, where its version takes one."""
    if not plan.patch_file:
        return []
    content = json.dumps(plan.config, indent=2) + "\n"
    return [File(path=plan.patch_file, content=content, acl="", why="path-kubelet-patch")]


def join_plan(case: Case) -> JoinPlan:
    """What kubeadm is told: name, taints and labels at registration, not later."""
    api = rows.one(KubeadmApi, "kubeadm-api", case.shape.at)
    socket = rows.one(CriSocket, f"cri-socket-{case.shape.runtime}", case.shape.at)
    return JoinPlan(
        api_version=api.version,
        cri_socket=socket.endpoint,
        node_name=case.host.node_name,
        taints=case.host.taints,
        labels=_labels(case),
        kubelet_extra_args=dict(sorted(case.host.kubelet.extra_args.items())),
        patches_directory=case.shape.places.get("patches", ""),
        flags_file=case.say(rows.one(KubeadmPath, "path-flags-file", case.shape.at).path),
        ca_certificate=case.say(rows.one(KubeadmPath, "path-ca-certificate", case.shape.at).path),
        ignore_preflight_errors=(),
        why=f"{api.id} {socket.id}",
    )


def _labels(case: Case) -> dict[str, str]:
    isolation = case.host.isolation
    more = {} if isolation is Isolation.PROCESS else {ISOLATION: isolation.value}
    return {**dict(sorted(own_labels(case.host.labels).items())), **PREPARED, **more}
