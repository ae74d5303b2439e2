"""A KubeadmConfig becomes boot data through the real Cluster API controllers.

The lab's own cluster plays the workload cluster, with an infrastructure and a control plane that
are rows in the API server: three small CRDs that say they are provisioned.
"""

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.contract.capi import FILES, objects_of, wishes
from tests.contract.definitions import definitions

from transom.bootstrap.lint import Origin, lint
from transom.bootstrap.machine import Machine
from transom.bootstrap.reader import tell
from transom.bootstrap.story import Outcome
from transom.capi.wish import Wish as Template
from transom.cli.main import main
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


def _boot_data(management, prefix: str) -> list[tuple[str, bytes]]:
    kind = "type=cluster.x-k8s.io/secret"
    return [
        (item["metadata"]["name"], base64.b64decode(item["data"]["value"]))
        for item in management.get("secrets", "--field-selector", kind)["items"]
        if item["metadata"]["name"].startswith(prefix)
    ]


@pytest.fixture(scope="module")
def providers(management):
    """The management cluster with the real definitions of all six providers."""
    kinds = {item["kind"] for wish in wishes() for item in objects_of(wish)} | {"AzureMachine"}
    known = set(management.kubectl("get", "crd", "-o", "name").split())
    found = [_labelled(crd) for crd in definitions(*sorted(kinds))]
    new = [c for c in found if f"customresourcedefinition.apiextensions.k8s.io/{c['metadata']['name']}" not in known]  # fmt: skip
    listed = {"apiVersion": "v1", "kind": "List", "items": new}
    management.kubectl("create", "-f", "-", stdin=json.dumps(listed))
    names = [f"crd/{crd['metadata']['name']}" for crd in new]
    management.kubectl("wait", "--for=condition=Established", "--timeout=30s", *names)
    return management


def _labelled(crd: dict[str, Any]) -> dict[str, Any]:
    """The definition with the label by which controllers find a version, as providers install it."""
    version = crd["spec"]["versions"][-1]["name"]
    crd["metadata"].setdefault("labels", {})["cluster.x-k8s.io/v1beta1"] = version
    return crd


def _distinct() -> Iterator[Any]:
    """Every object of every template of the newer contract, once, by its provider."""
    for provider in sorted({wish.provider for wish in wishes()}):
        found = {
            json.dumps(item, sort_keys=True): item
            for wish in wishes()
            if (wish.provider, wish.contract) == (provider, "v1beta2")
            for item in objects_of(wish, CLUSTER_NAME="new")
        }
        yield pytest.param(list(found.values()), id=provider)


@pytest.mark.parametrize("objects", list(_distinct()))
def test_the_api_server_takes_every_template(providers, objects):
    """By a dry run, with the rules that only it knows, and the webhooks of Cluster API's core."""
    listed = {"apiVersion": "v1", "kind": "List", "items": objects}
    options = ["--server-side", "--dry-run=server", "--validate=strict", "-o", "name"]
    said = providers.kubectl("apply", *options, "-f", "-", stdin=json.dumps(listed))
    assert len(said.splitlines()) == len(objects)


def test_boot_data_of_our_template_meets_no_error(providers, eventually, capsys):
    """Cluster API renders it; the linter passes it, and what remains to be said is what it says."""
    wish = Template(provider="azure", files=FILES)
    pool = {"apiVersion": "v1", "kind": "List", "items": objects_of(wish)}
    providers.kubectl("apply", "-f", "-", stdin=json.dumps(pool))
    eventually(
        lambda: bool(_boot_data(providers, "shop-md-win")), "boot data is there", timeout_s=90
    )
    ((name, data),) = _boot_data(providers, "shop-md-win")
    machine = Machine(hostname="shop-md-win-abc")
    assert tell(data, machine).outcome is Outcome.DONE
    findings = lint(data, machine, Origin(name)).findings
    assert {finding.rule for finding in findings} == {"BOOT023", "BOOT045"}
    source = [f"secret/{name}", "--kubeconfig", str(providers.lab.kubeconfig)]
    assert main(["userdata", "lint", *source]) == 0
    assert main(["userdata", "compile", "--from-secret", *source]) == 0
    captured = capsys.readouterr()
    assert "BOOT045" in captured.err
    (token,) = [line.split()[1] for line in captured.out.splitlines() if "token: " in line]
    assert token not in captured.err
