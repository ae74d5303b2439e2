"""A Windows pool for a cluster of Cluster API: objects whose values clusterctl fills in.

Called by `transom capi template`. Control plane and Linux pools are not touched. With boot files the
node program prepares each machine before kubeadm joins it; without them the image has everything.
"""

import base64
import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from transom.bootstrap.compile import BootFile, commands
from transom.capi.machines import SPECS
from transom.errors import UnsupportedError
from transom.facts.capi import Provider
from transom.facts.join import CriSocket
from transom.facts.rows import At, one, rows
from transom.model.manifest import Manifest

FLAVORS = ("machinedeployment", "machinepool")
CONTRACTS = ("v1beta2", "v1beta1")
_BOOTSTRAP = "bootstrap.cluster.x-k8s.io"
_CORE = "cluster.x-k8s.io"
_JOINED = r"C:\run\cluster-api\bootstrap-success.complete"
_CONFIGURATION = r"C:\run\kubeadm\kubeadm-join-config.yaml"
_NODE_NAME = '{{ ds.meta_data["local_hostname"] }}'
_STARTUP_S = 1800
_UNHEALTHY_S = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolWish:
    """The pool: where, how, and what its machines are brought."""

    provider: str
    flavor: str = "machinedeployment"
    contract: str = "v1beta2"
    name: str = "md-win"
    windows: str = "2022"
    files: Sequence[BootFile] = field(default=(), repr=False)
    addons: str = ""


def pool_template(wish: PoolWish) -> list[Manifest]:
    """Every object of the pool, in the order they are applied."""
    provider = one(Provider, f"provider-{wish.provider}", At())
    if wish.flavor == "machinepool" and not provider.machine_pool:
        raise UnsupportedError(
            f"{provider.title} has no machine pools",
            subject=f"--provider {wish.provider}",
            hint="use --flavor machinedeployment",
        )
    return [*_objects(wish, provider)]


def _objects(wish: PoolWish, provider: Provider) -> Iterator[Manifest]:
    if wish.flavor == "machinepool":
        yield _object(wish, f"{_BOOTSTRAP}/{wish.contract}", "KubeadmConfig", _kubeadm(wish))
        yield _object(wish, provider.version, provider.machine_pool, _pool_spec(wish))
        yield _object(wish, f"{_CORE}/{wish.contract}", "MachinePool", _machines(wish, provider))
    else:
        template = {"template": {"spec": _kubeadm(wish)}}
        api = f"{_BOOTSTRAP}/{wish.contract}"
        yield _object(wish, api, "KubeadmConfigTemplate", template)
        machine = {"template": {"spec": SPECS[wish.provider]()}}
        found = _object(wish, provider.version, provider.machine_template, machine)
        if wish.provider == "azure":
            machine["template"]["metadata"] = {"annotations": _azure_annotations(wish)}
        yield found
        yield _object(
            wish, f"{_CORE}/{wish.contract}", "MachineDeployment", _deployment(wish, provider)
        )
    yield _object(wish, f"{_CORE}/{wish.contract}", "MachineHealthCheck", _health_check(wish))
    if wish.addons:
        yield from _addons(wish)


def _object(wish: PoolWish, api: str, kind: str, spec: dict[str, Any]) -> Manifest:
    labels = {"cluster.x-k8s.io/cluster-name": "${CLUSTER_NAME}"}
    name = f"${{CLUSTER_NAME}}-{wish.name}"
    metadata: dict[str, Any] = {
        "name": name,
        "namespace": "${NAMESPACE:=default}",
        "labels": labels,
    }
    if kind in ("MachineDeployment", "MachinePool"):
        # An autoscaler that starts at zero takes machines for Linux unless it is told.
        capacity = "capacity.cluster-autoscaler.kubernetes.io/labels"
        metadata["annotations"] = {capacity: "kubernetes.io/os=windows"}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec}


def _azure_annotations(wish: PoolWish) -> dict[str, str]:
    return {"runtime": "containerd", "windowsServerVersion": f"windows-{wish.windows}"}


def _pool_spec(wish: PoolWish) -> dict[str, Any]:
    if wish.provider == "azure":
        return {"location": "${AZURE_LOCATION}", "template": SPECS["azure"]()}
    spec = SPECS["aws"]()
    spec.pop("uncompressedUserData")
    spec.pop("cloudInit")
    return {"minSize": 0, "maxSize": 10, "awsLaunchTemplate": spec}


def _kubeadm(wish: PoolWish) -> dict[str, Any]:
    sockets = [row for row in rows(CriSocket, At()) if row.runtime == "containerd"]
    registration: dict[str, Any] = {"criSocket": sockets[-1].endpoint, "name": _NODE_NAME}
    arguments = {"v": "2", "windows-priorityclass": "ABOVE_NORMAL_PRIORITY_CLASS"}
    if wish.contract == "v1beta1":
        registration["kubeletExtraArgs"] = arguments
    else:
        registration["kubeletExtraArgs"] = [
            {"name": name, "value": value} for name, value in sorted(arguments.items())
        ]
    spec: dict[str, Any] = {
        "joinConfiguration": {"nodeRegistration": registration},
        "users": [
            {
                "name": "capi",
                "groups": "Administrators",
                "sshAuthorizedKeys": ["${SSH_PUBLIC_KEY}"],
            }
        ],
        # The token goes; and a join that failed ends here, not with the success of what follows.
        "postKubeadmCommands": [f"if not exist {_JOINED} exit 1", f"del {_CONFIGURATION}"],
    }
    if wish.files:
        spec["files"] = [_file(file) for file in wish.files]
        spec["preKubeadmCommands"] = list(commands(prepare=True))
    return spec


def _file(file: BootFile) -> dict[str, str]:
    packed = base64.b64encode(gzip.compress(file.content, mtime=0)).decode()
    return {"path": file.path, "encoding": "gzip+base64", "content": packed}


def _machines(wish: PoolWish, provider: Provider) -> dict[str, Any]:
    """What MachineDeployment and MachinePool have in common."""
    pool = wish.flavor == "machinepool"
    name = f"${{CLUSTER_NAME}}-{wish.name}"
    kinds = (
        ("KubeadmConfig", provider.machine_pool)
        if pool
        else ("KubeadmConfigTemplate", provider.machine_template)
    )
    group = provider.version.partition("/")[0]
    return {
        "clusterName": "${CLUSTER_NAME}",
        "replicas": "${WINDOWS_WORKER_MACHINE_COUNT:=1}",
        "template": {
            "spec": {
                "clusterName": "${CLUSTER_NAME}",
                "version": "${KUBERNETES_VERSION}",
                "bootstrap": {
                    "configRef": _reference(wish, f"{_BOOTSTRAP}/{wish.contract}", kinds[0], name)
                },
                "infrastructureRef": (
                    _reference(wish, provider.version, kinds[1], name)
                    if wish.contract == "v1beta1"
                    else {"apiGroup": group, "kind": kinds[1], "name": name}
                ),
            }
        },
    }


def _reference(wish: PoolWish, api: str, kind: str, name: str) -> dict[str, str]:
    if wish.contract == "v1beta1":
        return {"apiVersion": api, "kind": kind, "name": name}
    return {"apiGroup": api.partition("/")[0], "kind": kind, "name": name}


def _deployment(wish: PoolWish, provider: Provider) -> dict[str, Any]:
    spec = _machines(wish, provider)
    labels = {"pool": f"${{CLUSTER_NAME}}-{wish.name}"}
    spec["selector"] = {"matchLabels": labels}
    spec["template"]["metadata"] = {
        "labels": {**labels, "cluster.x-k8s.io/cluster-name": "${CLUSTER_NAME}"}
    }
    # Machines are replaced, never changed: a new one joins before an old one goes.
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    if wish.contract == "v1beta1":
        spec["strategy"] = rolling
    else:
        spec["rollout"] = {"strategy": rolling}
    return spec


def _health_check(wish: PoolWish) -> dict[str, Any]:
    selector = {"matchLabels": {"pool": f"${{CLUSTER_NAME}}-{wish.name}"}}
    spec: dict[str, Any] = {"clusterName": "${CLUSTER_NAME}", "selector": selector}
    statuses = ("Unknown", "False")
    if wish.contract == "v1beta1":
        spec["nodeStartupTimeout"] = f"{_STARTUP_S}s"
        spec["unhealthyConditions"] = [
            {"type": "Ready", "status": status, "timeout": f"{_UNHEALTHY_S}s"}
            for status in statuses
        ]
    else:
        spec["checks"] = {
            "nodeStartupTimeoutSeconds": _STARTUP_S,
            "unhealthyNodeConditions": [
                {"type": "Ready", "status": status, "timeoutSeconds": _UNHEALTHY_S}
                for status in statuses
            ],
        }
    return spec


def _addons(wish: PoolWish) -> Iterator[Manifest]:
    """The add-ons, applied again whenever they change: those of an upgrade reach the cluster."""
    name = f"${{CLUSTER_NAME}}-{wish.name}-addons"
    metadata = {"name": name, "namespace": "${NAMESPACE:=default}"}
    yield {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": {"addons.yaml": wish.addons},
    }
    yield {
        "apiVersion": f"addons.cluster.x-k8s.io/{wish.contract}",
        "kind": "ClusterResourceSet",
        "metadata": metadata,
        "spec": {
            "strategy": "Reconcile",
            "clusterSelector": {"matchLabels": {"windows": "enabled"}},
            "resources": [{"kind": "ConfigMap", "name": name}],
        },
    }
