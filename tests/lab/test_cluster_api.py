"""A KubeadmConfig becomes boot data through the real Cluster API controllers.

The lab's own cluster plays the workload cluster, with an infrastructure and a control plane that
are rows in the API server: three small CRDs that say they are provisioned.
"""

import base64
import json
from typing import Any

import pytest

from transom_lab.clusterapi import MANAGERS
from transom_lab.lab import Wish

_GROUP = "lab.transom.dev"
_KINDS = ("LabCluster", "LabControlPlane", "LabMachine", "LabMachineTemplate")


def _definition(kind: str) -> dict[str, Any]:
    plural = f"{kind.lower()}s"
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{_GROUP}",
            "labels": {"cluster.x-k8s.io/v1beta2": "v1alpha1"},
        },
        "spec": {
            "group": _GROUP,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1alpha1",
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {"spec": anything, "status": anything},
                        }
                    },
                }
            ],
        },
    }


def _reference(kind: str, name: str, group: str = _GROUP) -> dict[str, str]:
    return {"apiGroup": group, "kind": kind, "name": name}


def _object(kind: str, api: str, name: str, **rest: Any) -> dict[str, Any]:
    labels = {"cluster.x-k8s.io/cluster-name": "shop"}
    return {
        "apiVersion": api,
        "kind": kind,
        "metadata": {"name": name, "namespace": "default", "labels": labels},
        **rest,
    }


def _secret(name: str, data: dict[str, bytes]) -> dict[str, Any]:
    encoded = {key: base64.b64encode(value).decode() for key, value in data.items()}
    return _object("Secret", "v1", name, type="cluster.x-k8s.io/secret", data=encoded)


def _fleet(cluster: Any) -> list[dict[str, Any]]:
    mine, core = f"{_GROUP}/v1alpha1", "cluster.x-k8s.io/v1beta2"
    endpoint = {"host": "10.77.0.2", "port": 6443}
    pki = cluster.lab.control_plane.directory / "etc/kubernetes/pki"
    inside = cluster.lab.control_plane.directory / "etc/kubernetes/admin.conf"
    template = {
        "metadata": {"labels": {"cluster.x-k8s.io/cluster-name": "shop", "pool": "windows"}},
        "spec": {
            "clusterName": "shop",
            "version": f"v{cluster.lab.record.kubernetes}",
            "bootstrap": {
                "configRef": _reference(
                    "KubeadmConfigTemplate", "windows", "bootstrap.cluster.x-k8s.io"
                )
            },
            "infrastructureRef": _reference("LabMachineTemplate", "windows"),
        },
    }
    return [
        _secret("shop-kubeconfig", {"value": inside.read_bytes()}),
        _secret(
            "shop-ca",
            {"tls.crt": (pki / "ca.crt").read_bytes(), "tls.key": (pki / "ca.key").read_bytes()},
        ),
        _object("LabCluster", mine, "shop", spec={"controlPlaneEndpoint": endpoint}),
        _object("LabControlPlane", mine, "shop", spec={}),
        _object("LabMachineTemplate", mine, "windows", spec={"template": {"spec": {}}}),
        _object(
            "Cluster",
            core,
            "shop",
            spec={
                "controlPlaneEndpoint": endpoint,
                "infrastructureRef": _reference("LabCluster", "shop"),
                "controlPlaneRef": _reference("LabControlPlane", "shop"),
            },
        ),
        _object(
            "KubeadmConfigTemplate",
            "bootstrap.cluster.x-k8s.io/v1beta2",
            "windows",
            spec={
                "template": {
                    "spec": {
                        "files": [{"path": "C:\\k\\hello.txt", "content": "hello"}],
                        "joinConfiguration": {
                            "nodeRegistration": {
                                "criSocket": "npipe:////./pipe/containerd-containerd"
                            }
                        },
                    }
                }
            },
        ),
        _object(
            "MachineDeployment",
            core,
            "windows",
            spec={
                "clusterName": "shop",
                "replicas": 1,
                "selector": {"matchLabels": {"pool": "windows"}},
                "template": template,
            },
        ),
    ]


@pytest.fixture(scope="module")
def management(cluster):
    """The lab with the controllers, and a cluster they believe to be provisioned."""
    cluster.lab.up(Wish(hosts=2, cluster_api=True))
    definitions = {"apiVersion": "v1", "kind": "List", "items": [_definition(k) for k in _KINDS]}
    cluster.kubectl("apply", "-f", "-", stdin=json.dumps(definitions))
    names = [f"crd/{kind.lower()}s.{_GROUP}" for kind in _KINDS]
    cluster.kubectl("wait", "--for=condition=Established", "--timeout=30s", *names)
    fleet = {"apiVersion": "v1", "kind": "List", "items": _fleet(cluster)}

    cluster.kubectl("apply", "-f", "-", stdin=json.dumps(fleet))
    initialised = {
        "initialization": {"controlPlaneInitialized": True},
        "externalManagedControlPlane": True,
        "version": f"v{cluster.lab.record.kubernetes}",
    }
    for kind, status in (
        ("labcluster", {"initialization": {"provisioned": True}}),
        ("labcontrolplane", initialised),
    ):
        patch = json.dumps({"status": status})
        cluster.kubectl("patch", kind, "shop", "--subresource=status", "--type=merge", "-p", patch)
    yield cluster
    for manager in MANAGERS:
        cluster.lab.control_plane.room.stop(manager.program)


def test_a_machine_deployment_gets_boot_data_with_a_real_token(management, eventually):
    """The document is cloudbase-init's: a jinja template of a cloud-config that joins this cluster."""
    kind = "cluster.x-k8s.io/secret"

    def boot_data() -> list[str]:
        items = management.get("secrets", "--field-selector", f"type={kind}")["items"]
        return [
            base64.b64decode(item["data"]["value"]).decode()
            for item in items
            if item["metadata"]["name"].startswith("windows-")
        ]

    eventually(lambda: bool(boot_data()), "there is boot data", timeout_s=90)
    (text,) = boot_data()
    assert text.splitlines()[:2] == ["## template: jinja", "#cloud-config"]
    assert "kubeadm join" in text
    assert management.ca_hash() in text
    token = text.split("token: ", 1)[1].split()[0]
    listed = management.kubectl(
        "-n", "kube-system", "get", "secret", f"bootstrap-token-{token[:6]}"
    )
    assert token[:6] in listed
