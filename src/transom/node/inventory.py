"""What a host is and has: looked at, never changed. The answer of the verb `inventory`."""

from transom.model.answers import FoundAdapter, FoundService, Inventory, WindowsVersion
from transom.node.host.protocols import ReadHost

_RUNTIMES = ("containerd", "docker")
_SERVICES = ("containerd", "docker", "kubelet", "kube-proxy", "flanneld", "rancher-wins", "hns")


def inventory(host: ReadHost) -> Inventory:
    """Name, build, rights, network and the services that matter to a node."""
    build, revision = host.system.build()
    return Inventory(
        name=host.system.computer_name(),
        windows=WindowsVersion(build=build, revision=revision),
        domain=host.system.domain(),
        elevated=host.system.elevated(),
        reboot_pending=host.system.reboot_pending(),
        free_bytes=host.system.free_bytes("C:\\"),
        adapters=tuple(
            FoundAdapter(name=item.name, addresses=item.addresses, dhcp=item.dhcp)
            for item in host.network.adapters()
        ),
        dns_suffixes=host.network.dns_suffixes(),
        defender=host.defender.present(),
        runtimes=tuple(name for name in _RUNTIMES if host.services.get(name)),
        services=tuple(_service(host, name) for name in _SERVICES if host.services.get(name)),
    )


def _service(host: ReadHost, name: str) -> FoundService:
    definition = host.services.get(name)
    assert definition is not None
    return FoundService(
        name=name,
        command=definition.command,
        start=definition.start,
        running=host.services.running(name),
    )
