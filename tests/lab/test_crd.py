"""The CustomResourceDefinitions of Fleet and WindowsHost on a real API server: what it takes, refuses and says."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from transom.cli.main import main
from transom.errors import PermanentError
from transom.spec.shapes.document import API_VERSION, HOST_KIND
from transom_lab.controlplane import Component
from transom_lab.lab import Wish

DATA = Path(__file__).parents[1] / "data"
SHOP, WIN_01 = yaml.safe_load_all((DATA / "crds" / "shop.yaml").read_text("utf-8"))
EXAMPLE = Path(__file__).parents[2] / "examples" / "fleet.yaml"
FLEETS = [EXAMPLE, *sorted((DATA / "fleets").glob("*.yaml"))]


@pytest.fixture(scope="module")
def server(lone_lab, tmp_path_factory):
    """An API server and its store, which have the definitions as `transom schema` prints them."""
    lab = lone_lab("crd")
    lab.down()
    definitions = tmp_path_factory.mktemp("crd") / "crds.yaml"
    assert main(["schema", "--format", "crd", "-o", str(definitions)]) == 0
    try:
        lab.up(Wish(hosts=0, components=(Component.ETCD, Component.APISERVER)))
        lab.kubectl("create", "-f", str(definitions))
        for name in ("fleets", "windowshosts"):
            lab.kubectl(
                "wait", f"crd/{name}.transom.dev", "--for=condition=Established", "--timeout=60s"
            )
        yield lab
    finally:
        lab.down()


def send(lab, verb, manifest, *words):
    text = lab.kubectl(
        verb, "-f", "-", "-o", "json", "--validate=strict", *words, stdin=json.dumps(manifest)
    )
    return json.loads(text)


def changed(manifest, dotted, value):
    """The manifest with one field below its spec replaced; None removes it."""
    made = copy.deepcopy(manifest)
    target = made["spec"]
    *parents, last = dotted.split("/")
    for name in parents:
        target = target[int(name)] if isinstance(target, list) else target.setdefault(name, {})
    if value is None:
        del target[last]
    else:
        target[last] = value
    return made


@pytest.fixture(scope="module")
def shop(server):
    """The whole fleet, as the server keeps it."""
    return send(server, "create", SHOP)


@pytest.fixture(scope="module")
def win_01(server, shop):
    del shop
    return send(server, "create", WIN_01)


def test_what_was_written_is_kept_and_defaults_are_added(shop, win_01):
    spec = shop["spec"]
    assert spec["rollout"] == {
        "maxUnavailable": "25%",
        "pauseSeconds": 0,
        "drain": {
            "emptyDirPolicy": "Delete",
            "unmanagedPodPolicy": "Refuse",
            "timeoutSeconds": 600,
        },
    }
    assert spec["network"]["clusterDomain"] == "cluster.local"
    assert spec["defaults"]["kubelet"] == SHOP["spec"]["defaults"]["kubelet"]
    assert spec["pools"] == SHOP["spec"]["pools"]
    assert win_01["spec"] == WIN_01["spec"]


@pytest.mark.parametrize("path", FLEETS, ids=lambda path: path.stem)
def test_every_fleet_of_the_examples_and_tests_is_taken(server, path):
    """As people write them, but for `hosts`, which are WindowsHosts in a cluster."""
    for document in yaml.safe_load_all(path.read_text("utf-8")):
        if document["apiVersion"] != API_VERSION:
            continue  # a Client never goes to a cluster
        for manifest in (document, *hosts_of(document)):
            send(server, "create", manifest, "--dry-run=server", "--namespace=kube-public")


def hosts_of(document):
    entries = document["spec"].pop("hosts", [])
    return [
        {
            "apiVersion": API_VERSION,
            "kind": HOST_KIND,
            "metadata": {"name": entry.pop("name")},
            "spec": {"fleetName": document["metadata"]["name"], **entry},
        }
        for entry in entries
    ]


REFUSED = {
    "a number for text": ("kubernetes/version", 1.37, "must be of type string"),
    "a version of two parts": (
        "kubernetes/version",
        "1.37",
        "spec.kubernetes.version in body should match",
    ),
    "another value of an enum": (
        "endOfLifePolicy",
        "Ignore",
        'supported values: "Refuse", "Allow"',
    ),
    "a type that there is not": ("network/type", "Weave", "Unsupported value"),
    "a key that there is not": ("network/weave", {}, 'unknown field "spec.network.weave"'),
    "hosts inside": ("hosts", [{"name": "a"}], 'unknown field "spec.hosts"'),
    "settings of another plugin": ("network/calico", {}, "calico is only for type Calico"),
    "two runtimes": (
        "defaults/runtime/docker",
        {},
        "at most one of containerd and docker is taken",
    ),
    "settings of another way": (
        "defaults/connection/winrm",
        {},
        "winrm is only for type WinRM",
    ),
    "an override by nothing": (
        "source/overrides",
        [{"artifact": "kubelet"}],
        "exactly one of url and member is needed",
    ),
    "an address without its hash": (
        "source/overrides",
        [{"artifact": "kubelet", "url": "https://x.corp/k"}],
        "url needs sha256",
    ),
    "a demand without a demand": (
        "source/verify",
        [{"artifact": "kubelet", "authenticode": {}}],
        "at least one of subject and issuer and thumbprint is needed",
    ),
    "a label's key that is none": (
        "defaults/labels",
        {"-a/b c": "x"},
        "each key must be a Kubernetes label or taint key",
    ),
    "a label's value that is none": ("defaults/labels", {"a": "b c"}, "should match"),
    "two pools of one name": ("pools", [{"name": "a"}, {"name": "a"}], "Duplicate value"),
    "none of a pool": ("rollout/maxUnavailable", 0, "greater than or equal to 1"),
    "more than all of a pool": ("rollout/maxUnavailable", "101%", "should match"),
    "a port that is none": ("network/flannel/port", 70000, "less than or equal to 65535"),
    "no network": ("network", None, "spec.network: Required value"),
    "a range that is none": ("network/podCIDRs", ["10.244.0.0"], "should match"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_mistake_is_refused_in_words(server, case):
    dotted, value, said = REFUSED[case]
    wrong = changed(SHOP, dotted, value)
    wrong["metadata"] = {"name": "wrong"}
    with pytest.raises(PermanentError) as refused:
        send(server, "create", wrong, "--dry-run=server")
    assert said in str(refused.value)


def test_a_change_is_taken_and_counted(server, shop):
    now = send(server, "apply", changed(SHOP, "paused", value=True))
    assert now["spec"]["paused"] is True
    assert now["metadata"]["generation"] == shop["metadata"]["generation"] + 1


IMMUTABLE: dict[str, tuple[Any, dict[str, Any], str]] = {
    "the network's type": (
        SHOP,
        {"network/type": "Calico", "network/flannel": None},
        "type does not change once it is set",
    ),
    "the node's name": (WIN_01, {"nodeName": "other"}, "nodeName does not change once it is set"),
    "taking the node's name away": (WIN_01, {"nodeName": None}, "nodeName does not change"),
    "a host's fleet": (WIN_01, {"fleetName": "other"}, "fleetName does not change once it is set"),
}


@pytest.mark.parametrize("case", IMMUTABLE)
def test_what_must_not_change_is_refused(server, win_01, case):
    del win_01
    manifest, changes, said = IMMUTABLE[case]
    for dotted, value in changes.items():
        manifest = changed(manifest, dotted, value)
    with pytest.raises(PermanentError) as refused:
        send(server, "replace", manifest, "--dry-run=server")
    assert said in str(refused.value)


def test_one_pool_is_changed_by_a_patch_that_names_only_it(server, shop):
    """Server-side apply merges lists by the keys of their maps."""
    del shop
    pool = {"name": "canary", "kubernetes": {"version": "1.37.3"}}
    part = {
        "apiVersion": API_VERSION,
        "kind": "Fleet",
        "metadata": SHOP["metadata"],
        "spec": {"pools": [pool], "network": SHOP["spec"]["network"]},
    }
    words = ("--server-side", "--field-manager=canaries", "--force-conflicts")
    now = send(server, "apply", part, *words)
    assert [each["name"] for each in now["spec"]["pools"]] == ["web", "canary"]
    assert now["spec"]["pools"][1]["kubernetes"] == {"version": "1.37.3"}


def test_kubectl_explains_fields_in_our_words(server):
    network = server.kubectl("explain", "fleet.spec.network")
    assert "The cluster's network as it already is" in network
    address = server.kubectl("explain", "windowshost.spec.address")
    assert "How it is reached: an IP address or a DNS name." in address
    assert "If left out: its name." in address


def test_kubectl_lists_what_matters(server, win_01):
    del win_01
    status = {
        "conditions": [
            {
                "type": "Ready",
                "status": "True",
                "reason": "AllReady",
                "message": "",
                "lastTransitionTime": "2026-11-18T12:00:00Z",
            }
        ]
    }
    server.kubectl(
        *("patch", "fleet", "shop", "--subresource=status", "--type=merge"),
        *("-p", json.dumps({"status": status})),
    )
    head, row = server.kubectl("get", "fleets").splitlines()
    assert head.split() == ["NAME", "VERSION", "NETWORK", "PAUSED", "READY", "AGE"]
    assert row.split()[:3] == ["shop", "1.37.1", "Flannel"]
    assert row.split()[4] == "True"
    head, row = server.kubectl("get", "wh", "-o", "wide").splitlines()
    assert head.split() == ["NAME", "FLEET", "POOL", "ADDRESS", "NODE", "READY", "AGE"]
    assert row.split()[:5] == ["win-01", "shop", "web", "10.0.0.21", "win-01.corp.example"]


def test_a_status_is_not_written_with_the_spec(server, shop):
    del shop
    written = {**SHOP, "status": {"conditions": []}}
    now = send(server, "apply", written)
    assert now.get("status", {}).get("observedGeneration") is None


def test_kustomize_patches_one_pool_and_one_host(server, tmp_path):
    """With the merge keys that `transom schema` prints; without them a patch replaces the list."""
    fleet = changed(SHOP, "hosts", [{"name": "win-01"}, {"name": "win-02"}])
    spec = {
        "pools": [{"name": "canary", "host": {}}],
        "hosts": [{"name": "win-02", "poolName": "web"}],
    }
    patch = {**{key: SHOP[key] for key in ("apiVersion", "kind", "metadata")}, "spec": spec}
    kustomization = {
        "resources": ["fleet.yaml"],
        "patches": [{"path": "patch.yaml"}],
        "openapi": {"path": "transom.json"},
    }
    (tmp_path / "fleet.yaml").write_text(json.dumps(fleet), "utf-8")
    (tmp_path / "patch.yaml").write_text(json.dumps(patch), "utf-8")
    (tmp_path / "kustomization.yaml").write_text(json.dumps(kustomization), "utf-8")
    assert main(["schema", "--format", "openapi", "-o", str(tmp_path / "transom.json")]) == 0
    made = yaml.safe_load(server.kubectl("kustomize", str(tmp_path)))
    assert {pool["name"] for pool in made["spec"]["pools"]} == {"web", "canary"}
    assert {host["name"]: host.get("poolName") for host in made["spec"]["hosts"]} == {
        "win-01": None,
        "win-02": "web",
    }
