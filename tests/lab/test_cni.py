"""The golden CNI configurations, executed by upstream's win-overlay.exe, win-bridge.exe and host-local.exe.

A runtime's part is played here: the configuration on standard input, a namespace, port mappings. Flannel's
own plugin, which only adds the node's range and calls these, cannot be built here; its part is played too.
Configurations for Docker are left out: their plugins also ask Windows for Docker's container, which the lab
does not have. No packet moves: what the plugins make is read from the HNS stand-in.
"""

import ipaddress
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from transom.model.codec import decode
from transom.model.recipe import Recipe
from transom_lab.hns.store import Kind
from transom_lab.host import WindowsHost

_RECIPES = Path(__file__).parents[1] / "data" / "recipes"
_PODS = "10.244.9.0/24"
_ADDRESS = "10.77.0.12"
_PLUGINS = {"win-overlay": "Overlay", "win-bridge": "L2Bridge"}
_CURRENT = 2
_BIN = r"C:\cni"
_VERSION = {"SchemaVersion": {"Major": 2, "Minor": 0}}


def configuration(path: Path) -> dict[str, Any]:
    """What the plugin of a golden recipe gets; nothing where the lab has no such plugin."""
    recipe = decode(Recipe, json.loads(path.read_text("utf-8")))
    found = [file.content for file in recipe.files if "net.d" in file.path]
    if not found:
        return {}
    filled = found[0].replace("{{nodePodCIDR}}", _PODS).replace("{{nodeAddress}}", _ADDRESS)
    document: dict[str, Any] = json.loads(filled)
    plugin = document.get("plugins", [document])[0]
    if "delegate" in plugin:
        ipam = {"type": "host-local", "subnet": _PODS}
        plugin = {**plugin, **plugin["delegate"], "ipam": ipam}
    plugin = {**plugin, "name": document["name"], "cniVersion": document["cniVersion"]}
    return plugin if plugin["type"] in _PLUGINS and plugin.get("apiVersion") == _CURRENT else {}


GOLDENS = {
    path.stem: conf for path in sorted(_RECIPES.glob("*.json")) if (conf := configuration(path))
}


@pytest.fixture(scope="module")
def host(cluster):
    """The second host, which nobody joins, with the plugins."""
    found = cluster.lab.host("win2")
    for name in ("host-local", *_PLUGINS):
        found.put(cluster.windows_program(name), rf"{_BIN}\{name}.exe")
    yield found
    found.hns.reset()


def make_network(host: WindowsHost, name: str, kind: str) -> None:
    """What Flannel, or whoever owns the network, makes before any pod."""
    subnet: dict[str, Any] = {
        "IpAddressPrefix": _PODS,
        "Routes": [{"NextHop": "10.244.9.1", "DestinationPrefix": "0.0.0.0/0"}],
    }
    if kind == "Overlay":
        subnet["Policies"] = [{"Type": "VSID", "Settings": {"IsolationId": 4096}}]
    document = {
        **_VERSION,
        "Name": name,
        "Type": kind,
        "Ipams": [{"Type": "Static", "Subnets": [subnet]}],
    }
    answer = host.hns.call("HcnCreateNetwork", text=json.dumps(document))
    assert answer.hresult == 0, answer.text


def run(host: WindowsHost, command: str, conf: dict[str, Any], **identity: str) -> str:
    """Run a plugin as a runtime does."""
    argv, env = host.command([rf"{_BIN}\{conf['type']}.exe"])
    done = subprocess.run(
        argv,
        input=json.dumps(conf),
        env={**env, "CNI_COMMAND": command, "CNI_IFNAME": "eth0", "CNI_PATH": _BIN, **identity},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", GOLDENS)
def test_the_plugin_gives_a_pod_its_endpoint_and_takes_it_away(host, name):
    host.hns.reset()
    conf = GOLDENS[name]
    make_network(host, conf["name"], _PLUGINS[conf["type"]])
    space = host.hns.call("HcnCreateNamespace", text=json.dumps({"Type": "Host", **_VERSION})).text
    addresses = []
    for number, pod in enumerate(("pod1", "pod2")):
        mapping = {"hostPort": 8080 + number, "containerPort": 80, "protocol": "tcp"}
        asked = {**conf, "runtimeConfig": {"portMappings": [mapping]}}
        given = json.loads(run(host, "ADD", asked, CNI_CONTAINERID=pod, CNI_NETNS=space))
        addresses.append(ipaddress.ip_interface(given["ips"][0]["address"]).ip)
    endpoints = {
        entry["document"]["IpConfigurations"][0]["IpAddress"]: entry["document"]
        for entry in host.hns.state()["objects"][Kind.ENDPOINT].values()
    }
    assert len(set(addresses)) == len(addresses)
    for address in addresses:
        assert address in ipaddress.ip_network(_PODS)
        policies = endpoints[str(address)]["Policies"]
        assert {policy["Type"] for policy in policies} >= wanted(conf)
        loops = [p for p in policies if p["Settings"].get("Destinations") == [str(address)]]
        assert len(loops) == bool(conf.get("loopbackDSR"))
    for pod in ("pod1", "pod2"):
        run(host, "DEL", conf, CNI_CONTAINERID=pod, CNI_NETNS=space)
    assert host.hns.state()["objects"][Kind.ENDPOINT] == {}
    leases = host.drive_c / "var" / "lib" / "cni" / "networks" / conf["name"]
    assert [item.name for item in leases.iterdir() if re.fullmatch(r"[0-9.]+", item.name)] == []


def wanted(conf: dict[str, Any]) -> set[str]:
    """The policies that the configuration asks for; win-overlay does not know the runtime's ports."""
    asked = {entry["value"]["Type"] for entry in conf["policies"]}
    return asked | ({"PortMapping"} if conf["type"] == "win-bridge" else set())
