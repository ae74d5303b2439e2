"""A whole cluster around the Windows pool: network, control plane and a Linux pool."""

from collections.abc import Iterator
from typing import Any

from transom.capi.infrastructure import cluster_spec, identity
from transom.capi.kubeadm import control_plane_configuration, linux_configuration
from transom.capi.machines import SPECS, Role
from transom.capi.objects import (
    BOOTSTRAP,
    CLUSTER,
    CONTROL_PLANE,
    CORE,
    VERSION,
    made,
    named,
    reference,
)
from transom.capi.pool import machine_deployment
from transom.capi.wish import Wish
from transom.model.manifest import Manifest

LINUX = "md-0"
PLANE = "control-plane"


def cluster_around(wish: Wish) -> Iterator[Manifest]:
    """Everything but the Windows pool."""
    yield cluster(wish, _spec(wish))
    yield made(wish.row.version, wish.row.cluster, CLUSTER, cluster_spec(wish.provider))
    yield from identity(wish)
    plane = made(
        f"{CONTROL_PLANE}/{wish.contract}",
        "KubeadmControlPlane",
        named(PLANE),
        {
            "replicas": "${CONTROL_PLANE_MACHINE_COUNT:=1}",
            "version": VERSION,
            "machineTemplate": _machine_template(wish),
            "kubeadmConfigSpec": control_plane_configuration(wish),
        },
    )
    yield plane
    yield linux_machine(wish, named(PLANE), Role.CONTROL_PLANE)
    yield linux_templates(wish, named(LINUX))
    yield linux_machine(wish, named(LINUX), Role.LINUX)
    yield machine_deployment(wish, LINUX, "WORKER")


def cluster(wish: Wish, spec: dict[str, Any]) -> Manifest:
    """The cluster itself, with the label by which its add-ons find it."""
    found = made(f"{CORE}/{wish.contract}", "Cluster", CLUSTER, {**network(), **spec})
    found["metadata"]["labels"] = {"windows": "enabled"}
    return found


def network() -> dict[str, Any]:
    """The cluster's ranges, as kubeadm and Flannel have them unless told."""
    return {
        "clusterNetwork": {
            "pods": {"cidrBlocks": ["${POD_CIDR:=10.244.0.0/16}"]},
            "services": {"cidrBlocks": ["${SERVICE_CIDR:=10.96.0.0/12}"]},
        }
    }


def linux_templates(wish: Wish, name: str) -> Manifest:
    """What boots a Linux worker."""
    spec = {"template": {"spec": linux_configuration(wish)}}
    return made(f"{BOOTSTRAP}/{wish.contract}", "KubeadmConfigTemplate", name, spec)


def linux_machine(wish: Wish, name: str, role: Role) -> Manifest:
    """What a Linux machine is."""
    spec = {"template": {"spec": SPECS[wish.provider](role)}}
    return made(wish.row.version, wish.row.machine_template, name, spec)


def _spec(wish: Wish) -> dict[str, Any]:
    plane = f"{CONTROL_PLANE}/{wish.contract}"
    return {
        "controlPlaneRef": reference(wish, plane, "KubeadmControlPlane", named(PLANE)),
        "infrastructureRef": reference(wish, wish.row.version, wish.row.cluster, CLUSTER),
    }


def _machine_template(wish: Wish) -> dict[str, Any]:
    machine = reference(wish, wish.row.version, wish.row.machine_template, named(PLANE))
    found = {"infrastructureRef": machine}
    return found if wish.is_old_contract else {"spec": found}
