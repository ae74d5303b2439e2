"""What only the network's owner can give is listed, with numbers where the cluster has them."""

import json
from dataclasses import replace

import pytest
from tests.unit.addons.golden import FLEETS, golden_setting, setting_from

from transom.addons.azure import azure_reasons
from transom.addons.calico import calico
from transom.addons.calico_manifest import calico_manifest
from transom.addons.calico_pools import pool_reasons
from transom.addons.ovn import ovn_reasons
from transom.addons.provisions import provisions
from transom.errors import UsageError


def node(name, *, system="windows", pods=(), address="", provider=""):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "spec": {"podCIDRs": list(pods), "providerID": provider},
        "status": {
            "nodeInfo": {"operatingSystem": system},
            "addresses": [{"type": "InternalIP", "address": address}] if address else [],
        },
    }


@pytest.mark.parametrize("path", FLEETS, ids=lambda path: path.stem)
def test_every_network_says_what_it_needs(path):
    assert provisions(setting_from(path))


def test_routes_are_ready_to_be_typed():
    nodes = [
        node("win-01", pods=["10.244.3.0/24"], address="10.0.0.21"),
        node("win-02", pods=["10.244.4.0/24"]),
        node("lin-01", system="linux", pods=["10.244.5.0/24"], address="10.0.0.9"),
    ]
    listed = provisions(golden_setting("k137-2022-containerd-win-bridge"), nodes)
    routes = [line for line in listed if line.startswith("route")]
    assert routes == ["route 10.244.3.0/24 via 10.0.0.21 (node win-01)"]
    overlay = provisions(golden_setting("k137-2022-containerd-flannel-overlay"), nodes)
    assert not [line for line in overlay if line.startswith("route")]


@pytest.mark.parametrize(
    ("fleet", "better"),
    [("k123-2019-containerd-hostprocess", False), ("k137-2022-containerd-flannel-overlay", True)],
)
def test_csi_drivers_by_version(fleet, better):
    setting = golden_setting(fleet)
    told = provisions(setting, extras=("csi-proxy",))
    assert any("asks csi-proxy" in line for line in told)
    assert any("HostProcess" in line for line in told) is better
    assert not any("csi" in line.lower() for line in provisions(setting))


def reasons(fleet, *nodes):
    return [reason.id for reason in azure_reasons(golden_setting(fleet), nodes)]


def test_on_azure_an_overlay_of_the_usual_size_is_refused():
    there = node("a", provider="azure:///subscriptions/x")
    assert reasons("k137-2022-containerd-flannel-overlay", there) == ["mtu-azure-overlay"]
    assert reasons("k137-2025-containerd-calico", there) == ["mtu-azure-overlay"]
    assert reasons("k136-2022-containerd-flannel-l2bridge", there) == []
    assert reasons("k137-2022-containerd-flannel-overlay", node("a", provider="aws:///x")) == []


def test_azure_cni_elsewhere_is_refused():
    assert reasons("k137-2022-containerd-azure-cni", node("a")) == ["plugin-azure-cni"]
    assert reasons("k137-2022-containerd-azure-cni", node("a", provider="azure:///x")) == []
    assert reasons("k137-2022-containerd-azure-cni") == []


@pytest.mark.parametrize(
    ("fleet", "bgp"),
    [
        ("k137-2025-containerd-calico", "Disabled"),
        ("k137-2022-containerd-calico-l2bridge", "Enabled"),
    ],
)
def test_calico_gets_its_windows_part_and_no_more(fleet, bgp):
    setting = golden_setting(fleet)
    made = {item["kind"]: item for item in calico(setting)}
    assert "ConfigMap" not in made
    assert made["IPAMConfiguration"]["spec"] == {"strictAffinity": True}
    spec = made["Installation"]["spec"]
    assert spec["serviceCIDRs"] == ["10.96.0.0/12"]
    assert spec["calicoNetwork"] == {
        "windowsDataplane": "HNS",
        "bgp": bgp,
        "mtu": setting.network.mtu,
    }


def test_calico_is_told_where_the_api_server_is_if_the_fleet_says_so():
    setting = replace(golden_setting("k137-2025-containerd-calico"), endpoint="10.0.0.1:6443")
    first = next(calico(setting))
    assert first["data"] == {
        "KUBERNETES_SERVICE_HOST": "10.0.0.1",
        "KUBERNETES_SERVICE_PORT": "6443",
    }


@pytest.mark.parametrize(
    ("fleet", "backend", "services"),
    [
        ("k137-2022-containerd-calico-manifest", "vxlan", ["felix", "node"]),
        (
            "k137-2022-containerd-calico-manifest-l2bridge",
            "windows-bgp",
            ["felix", "node", "confd"],
        ),
    ],
)
def test_calico_without_its_operator_gets_its_daemon_set(fleet, backend, services):
    setting = golden_setting(fleet)
    made = {item["kind"]: item for item in calico_manifest(setting)}
    assert "Installation" not in made
    pod = made["DaemonSet"]["spec"]["template"]["spec"]
    assert [container["name"] for container in pod["containers"]] == services
    (plugin,) = json.loads(made["ConfigMap"]["data"]["config"])["plugins"]
    assert (plugin["mode"], plugin["mtu"]) == (backend, setting.network.mtu)
    for container in pod["containers"]:
        values = {entry["name"]: entry.get("value") for entry in container["env"]}
        assert values["CALICO_NETWORKING_BACKEND"] == backend
        assert values["KUBERNETES_SERVICE_HOST"] == "10.0.0.1"
        assert values["FELIX_VXLANMTU"] == str(setting.network.mtu)
    assert not any("operator" in line for line in provisions(setting))
    with pytest.raises(UsageError, match="the API server's own address"):
        list(calico_manifest(replace(setting, endpoint="")))


def pool(cidr="10.244.0.0/16", **spec):
    return {
        "apiVersion": "crd.projectcalico.org/v1",
        "kind": "IPPool",
        "metadata": {"name": "default"},
        "spec": {"cidr": cidr, **spec},
    }


@pytest.mark.parametrize(
    ("fleet", "good", "bad"),
    [
        ("k137-2025-containerd-calico", {"vxlanMode": "Always"}, {"vxlanMode": "CrossSubnet"}),
        ("k137-2022-containerd-calico-l2bridge", {}, {"ipipMode": "Always"}),
    ],
)
def test_pools_that_windows_nodes_cannot_share_are_refused(fleet, good, bad):
    setting = golden_setting(fleet)
    ignored = [pool("fd00::/48"), pool(disabled=True, ipipMode="Always")]
    assert list(pool_reasons(setting, [pool(**good), *ignored])) == []
    (reason,) = pool_reasons(setting, [pool(**{**good, **bad})])
    ((key, value),) = bad.items()
    assert (reason.subject, reason.found) == (f"IPPool default, {key}", value)


def test_ovn_kubernetes_without_its_hybrid_overlay_is_refused():
    setting = golden_setting("k137-2022-containerd-ovn-kubernetes")
    linux = {"metadata": {"name": "a", "labels": {"kubernetes.io/os": "linux"}}}
    (reason,) = ovn_reasons(setting, [linux, node("win-01")])
    assert reason.id == "provision-ovn-hybrid"
    mac = "k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac"
    joined = {"metadata": {**linux["metadata"], "annotations": {mac: "0a:58:0a:00:00:01"}}}
    assert list(ovn_reasons(setting, [linux, joined])) == []
    assert list(ovn_reasons(setting, [])) == []
