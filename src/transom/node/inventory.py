"""What a host is and has: looked at, never changed. The answer of the verb `inventory`."""

from typing import Any

from transom.model.codec import encode
from transom.model.recipe import API_VERSION
from transom.node.host.protocols import ReadHost

_RUNTIMES = ("containerd", "docker")
_SERVICES = ("containerd", "docker", "kubelet", "kube-proxy", "flanneld", "rancher-wins", "hns")


def inventory(host: ReadHost) -> dict[str, Any]:
    """Name, build, rights, network and the services that matter to a node."""
    build, revision = host.system.build()
    return {
        "apiVersion": API_VERSION,
        "kind": "Inventory",
        "name": host.system.computer_name(),
        "windows": {"build": build, "revision": revision},
        "elevated": host.system.elevated(),
        "rebootPending": host.system.reboot_pending(),
        "freeBytes": host.system.free_bytes("C:\\"),
        "adapters": encode(host.network.adapters()),
        "dnsSuffixes": list(host.network.dns_suffixes()),
        "defender": host.defender.present(),
        "runtimes": [name for name in _RUNTIMES if host.services.get(name)],
        "services": [_service(host, name) for name in _SERVICES if host.services.get(name)],
    }


def _service(host: ReadHost, name: str) -> dict[str, Any]:
    definition = host.services.get(name)
    assert definition is not None
    return {
        "name": name,
        "command": definition.command,
        "start": definition.start,
        "running": host.services.running(name),
    }
