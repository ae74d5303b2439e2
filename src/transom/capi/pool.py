"""The objects of one pool of machines: templates, what makes machines of them, and who replaces ill ones."""

from collections.abc import Iterator
from typing import Any

from transom.capi.kubeadm import windows_configuration
from transom.capi.machines import SPECS, Role
from transom.capi.objects import BOOTSTRAP, CLUSTER, CORE, VERSION, made, named, reference, rolling
from transom.capi.wish import DOCKERSHIM, Wish
from transom.errors import UnsupportedError
from transom.facts.capi import PublishedImage
from transom.facts.rows import At, rows
from transom.model.manifest import Manifest

_STARTUP_S = 1800
_UNHEALTHY_S = 300
# An autoscaler that starts at zero takes machines for Linux unless it is told.
AS_WINDOWS = {"capacity.cluster-autoscaler.kubernetes.io/labels": "kubernetes.io/os=windows"}


def windows_pool(wish: Wish) -> Iterator[Manifest]:
    """A Windows pool of an existing cluster, in the order its objects are applied."""
    if wish.flavor == "machinepool":
        yield from _machine_pool(wish)
    else:
        yield from windows_templates(wish, named(wish.name))
        yield _labelled(machine_deployment(wish, wish.name, "WINDOWS_WORKER"))
    check = {"clusterName": CLUSTER, "selector": _selector(wish.name), **health(wish)}
    yield made(f"{CORE}/{wish.contract}", "MachineHealthCheck", named(wish.name), check)


def windows_templates(wish: Wish, name: str) -> Iterator[Manifest]:
    """The templates of Windows machines: what boots them, and what they are."""
    configuration = {"template": {"spec": windows_configuration(wish)}}
    api = f"{BOOTSTRAP}/{wish.contract}"
    yield made(api, "KubeadmConfigTemplate", name, configuration)
    machine: dict[str, Any] = {"template": {"spec": windows_machine(wish)}}
    if wish.provider == "azure":
        machine["template"]["metadata"] = {"annotations": _azure_annotations(wish)}
    yield made(wish.row.version, wish.row.machine_template, name, machine)


def windows_machine(wish: Wish) -> dict[str, Any]:
    """The provider's words for a Windows machine, with its image where one is published."""
    spec = SPECS[wish.provider](Role.WINDOWS)
    if wish.provider == "azure" and wish.kubernetes is not None and not wish.legacy:
        found = [
            row.image.replace("{kubernetes}", str(wish.kubernetes)).split("/")
            for row in rows(PublishedImage, At(kubernetes=wish.kubernetes))
            if row.platform == "azure" and row.windows == wish.windows and "/" in row.image
        ]
        for _, _, gallery, _, name, _, version in found[:1]:
            spec["image"] = {
                "computeGallery": {"gallery": gallery, "name": name, "version": version}
            }
    return spec


def machine_deployment(wish: Wish, name: str, count: str) -> Manifest:
    """Machines made of the templates of that name, replaced one by one."""
    labels = {"pool": named(name)}
    spec = {
        **_machines(wish, name, count, ("KubeadmConfigTemplate", wish.row.machine_template)),
        "selector": {"matchLabels": labels},
        **rolling(wish),
    }
    spec["template"]["metadata"] = {"labels": {**labels, "cluster.x-k8s.io/cluster-name": CLUSTER}}
    return made(f"{CORE}/{wish.contract}", "MachineDeployment", named(name), spec)


def health(wish: Wish) -> dict[str, Any]:
    """When a machine is given up: without a node after half an hour, or not Ready for five minutes."""
    statuses = ("Unknown", "False")
    if wish.is_old_contract:
        conditions: list[dict[str, Any]] = [
            {"type": "Ready", "status": status, "timeout": f"{_UNHEALTHY_S}s"}
            for status in statuses
        ]
        return {"nodeStartupTimeout": f"{_STARTUP_S}s", "unhealthyConditions": conditions}
    conditions = [
        {"type": "Ready", "status": status, "timeoutSeconds": _UNHEALTHY_S} for status in statuses
    ]
    checks = {
        "nodeStartupTimeoutSeconds": _STARTUP_S,
        "unhealthyNodeConditions": conditions,
    }
    return {"checks": checks}


def _machine_pool(wish: Wish) -> Iterator[Manifest]:
    if not wish.row.machine_pool:
        raise UnsupportedError(
            f"{wish.row.title} has no machine pools",
            subject=f"--provider {wish.provider}",
            hint="use --flavor machinedeployment",
        )
    name = named(wish.name)
    yield made(f"{BOOTSTRAP}/{wish.contract}", "KubeadmConfig", name, windows_configuration(wish))
    yield made(wish.row.version, wish.row.machine_pool, name, _pool_spec(wish))
    kinds = ("KubeadmConfig", wish.row.machine_pool)
    spec = _machines(wish, wish.name, "WINDOWS_WORKER", kinds)
    spec["template"]["metadata"] = {"labels": {"pool": name}}
    yield _labelled(made(f"{CORE}/{wish.contract}", "MachinePool", name, spec))


def _machines(wish: Wish, name: str, count: str, kinds: tuple[str, str]) -> dict[str, Any]:
    """What MachineDeployment and MachinePool have in common."""
    bootstrap = reference(wish, f"{BOOTSTRAP}/{wish.contract}", kinds[0], named(name))
    return {
        "clusterName": CLUSTER,
        "replicas": f"${{{count}_MACHINE_COUNT:=1}}",
        "template": {
            "spec": {
                "clusterName": CLUSTER,
                "version": VERSION,
                "bootstrap": {"configRef": bootstrap},
                "infrastructureRef": reference(wish, wish.row.version, kinds[1], named(name)),
            }
        },
    }


def _labelled(machines: Manifest) -> Manifest:
    machines["metadata"]["annotations"] = dict(AS_WINDOWS)
    return machines


def _selector(name: str) -> dict[str, Any]:
    return {"matchLabels": {"pool": named(name)}}


def _azure_annotations(wish: Wish) -> dict[str, str]:
    if wish.legacy == DOCKERSHIM:
        return {"runtime": DOCKERSHIM}
    return {"runtime": "containerd", "windowsServerVersion": f"windows-{wish.windows}"}


def _pool_spec(wish: Wish) -> dict[str, Any]:
    spec = windows_machine(wish)
    if wish.provider == "azure":
        return {"location": "${AZURE_LOCATION}", "template": spec}
    spec.pop("uncompressedUserData")
    spec.pop("cloudInit")
    return {"minSize": 0, "maxSize": 10, "awsLaunchTemplate": spec}
