"""A ClusterClass with Windows workers, and a cluster of that class where a whole one is asked for."""

from collections.abc import Iterator
from typing import Any

from transom.capi.cluster import LINUX, PLANE, cluster, linux_machine, linux_templates
from transom.capi.infrastructure import cluster_spec, identity
from transom.capi.kubeadm import control_plane_configuration
from transom.capi.machines import Role
from transom.capi.objects import BOOTSTRAP, CONTROL_PLANE, CORE, VERSION, made, rolling
from transom.capi.pool import AS_WINDOWS, health, windows_templates
from transom.capi.wish import Wish
from transom.model.manifest import Manifest

CLASS = "${CLUSTER_CLASS_NAME:=windows}"


def cluster_class(wish: Wish) -> Iterator[Manifest]:
    """The class and all its templates; they belong to no one cluster."""
    for item in _class_objects(wish):
        del item["metadata"]["labels"]
        yield item
    if wish.whole:
        yield from identity(wish)
        yield cluster(wish, {"topology": _topology(wish)})


def _class_objects(wish: Wish) -> Iterator[Manifest]:
    yield made(f"{CORE}/{wish.contract}", "ClusterClass", CLASS, _class(wish))
    infrastructure = {"template": {"spec": cluster_spec(wish.provider, template=True)}}
    kind = f"{wish.row.cluster}Template"
    yield made(wish.row.version, kind, CLASS, infrastructure)
    yield made(
        f"{CONTROL_PLANE}/{wish.contract}",
        "KubeadmControlPlaneTemplate",
        _name(PLANE),
        {"template": {"spec": {"kubeadmConfigSpec": control_plane_configuration(wish)}}},
    )
    yield linux_machine(wish, _name(PLANE), Role.CONTROL_PLANE)
    yield linux_templates(wish, _name(LINUX))
    yield linux_machine(wish, _name(LINUX), Role.LINUX)
    yield from windows_templates(wish, _name(wish.name))


def _name(suffix: str) -> str:
    return f"{CLASS}-{suffix}"


def _class(wish: Wish) -> dict[str, Any]:
    plane = f"{CONTROL_PLANE}/{wish.contract}"
    return {
        "infrastructure": _template(wish, wish.row.version, f"{wish.row.cluster}Template", CLASS),
        "controlPlane": {
            **_template(wish, plane, "KubeadmControlPlaneTemplate", _name(PLANE)),
            "machineInfrastructure": _template(
                wish, wish.row.version, wish.row.machine_template, _name(PLANE)
            ),
        },
        "workers": {
            "machineDeployments": [
                _workers(wish, "linux", LINUX, {}),
                _workers(wish, "windows", wish.name, {**_health(wish), **rolling(wish)}),
            ]
        },
    }


def _workers(wish: Wish, name: str, suffix: str, more: dict[str, Any]) -> dict[str, Any]:
    bootstrap = _template(
        wish, f"{BOOTSTRAP}/{wish.contract}", "KubeadmConfigTemplate", _name(suffix)
    )
    machine = _template(wish, wish.row.version, wish.row.machine_template, _name(suffix))
    parts = {"bootstrap": bootstrap, "infrastructure": machine}
    found: dict[str, Any] = {"class": name, **more}
    return found | ({"template": parts} if wish.is_old_contract else parts)


def _template(wish: Wish, api: str, kind: str, name: str) -> dict[str, Any]:
    """A reference to a template; both contracts name its version here."""
    found = {"apiVersion": api, "kind": kind, "name": name}
    return {"ref": found} if wish.is_old_contract else {"templateRef": found}


def _health(wish: Wish) -> dict[str, Any]:
    found = health(wish)
    return {"machineHealthCheck": found} if wish.is_old_contract else {"healthCheck": found}


def _topology(wish: Wish) -> dict[str, Any]:
    found: dict[str, Any] = {
        "version": VERSION,
        "controlPlane": {"replicas": "${CONTROL_PLANE_MACHINE_COUNT:=1}"},
        "workers": {
            "machineDeployments": [
                {"class": "linux", "name": LINUX, "replicas": "${WORKER_MACHINE_COUNT:=1}"},
                {
                    "class": "windows",
                    "name": wish.name,
                    "replicas": "${WINDOWS_WORKER_MACHINE_COUNT:=1}",
                    "metadata": {"annotations": dict(AS_WINDOWS)},
                },
            ]
        },
    }
    return (
        {"class": CLASS, **found}
        if wish.is_old_contract
        else {"classRef": {"name": CLASS}, **found}
    )
