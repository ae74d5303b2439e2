"""The CNI configuration of plugins that have no installer of their own."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

DATA = Path(__file__).parents[2] / "data"


def cni_of(name, address=""):
    path = DATA / "fleets" / f"{name}.yaml"
    (fleet,) = read_fleets(path.read_bytes(), name=path.name)
    hosts = tuple(replace(host, address=address or host.address) for host in fleet.hosts)
    (recipe,) = resolve(replace(fleet, hosts=hosts))
    (file,) = [file for file in recipe.files if "\\net.d\\" in file.path]
    return file


def test_wincni_is_told_what_its_documentation_tells():
    """The published example, for the ranges and addresses in it."""
    file = cni_of("k115-2019-docker-wincni")
    assert file.fills == ("nodePodCIDR", "nodePodGateway", "nodeAddress")
    filled = file.content.replace("{{nodePodCIDR}}", "10.10.187.64/26")
    filled = filled.replace("{{nodePodGateway}}", "10.10.187.66")
    filled = filled.replace("{{nodeAddress}}", "10.127.132.213")
    assert filled == (DATA / "cni" / "wincni.json").read_text("utf-8")
    assert json.loads(filled)["type"] == "wincni.exe"


BRIDGED = [
    "k120-2019-docker-wins-l2bridge",
    "k137-2022-containerd-azure-cni",
    "k137-2022-containerd-win-bridge",
    "k136-2022-containerd-flannel-l2bridge",
]


@pytest.mark.parametrize("address", ["10.0.0.21", "win-01.corp.example", "2001:db8::9"])
@pytest.mark.parametrize("name", BRIDGED)
def test_the_route_to_the_host_has_the_address_the_node_has(name, address):
    """The fleet's address is the one people reach the host by: a name, or that of another adapter."""
    file = cni_of(name, address)
    assert "{{nodeAddress}}/32" in file.content
    assert "nodeAddress" in file.fills
    assert address not in file.content


@pytest.mark.parametrize(
    "name", ["k137-2022-containerd-flannel-overlay", "k137-2022-containerd-win-overlay"]
)
def test_the_plugin_itself_takes_the_provider_address_from_the_network(name):
    file = cni_of(name)
    assert "ProviderAddress" not in file.content
    assert "10.0.0.21" not in file.content


def plugin_of(name):
    document = json.loads(cni_of(name).content)
    (plugin,) = document.get("plugins", [document])
    return plugin


def test_a_pod_reaches_itself_by_its_service_where_direct_server_return_is_on():
    flannel = plugin_of("k137-2022-containerd-flannel-overlay")
    assert flannel["delegate"]["loopbackDSR"] is True
    assert "loopbackDSR" not in flannel
    for name in ("k137-2022-containerd-win-bridge", "k137-2022-containerd-win-overlay"):
        assert plugin_of(name)["loopbackDSR"] is True
    azure = plugin_of("k137-2022-containerd-azure-cni")
    assert azure["windowsSettings"] == {"enableLoopbackDSR": True}
    assert "loopbackDSR" not in plugin_of("k130-2019-containerd-flannel-l2bridge")["delegate"]


def test_only_a_plugin_that_maps_ports_says_so():
    for name, maps in {
        "k137-2022-containerd-flannel-overlay": False,
        "k137-2022-containerd-win-overlay": False,
        "k120-2019-docker-wins-overlay": False,
        "k136-2022-containerd-flannel-l2bridge": True,
        "k137-2022-containerd-win-bridge": True,
    }.items():
        assert plugin_of(name)["capabilities"] == ({"portMappings": True} if maps else {}) | {
            "dns": True
        }
