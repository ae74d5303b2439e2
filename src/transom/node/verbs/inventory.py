"""What a host is and has: looked at, never changed. The answer of the verb `inventory`."""

from collections.abc import Callable
from typing import TypeVar

from transom.errors import TransomError
from transom.model.answers import (
    FoundAdapter,
    FoundService,
    FoundVolume,
    Inventory,
    WindowsVersion,
)
from transom.model.recipe import Recipe
from transom.node.engine.kept_recipe import kept_recipe
from transom.node.host.nouns.files import ReadFiles
from transom.node.host.protocols import Machine, ReadHost
from transom.node.host.values import PathKind
from transom.node.kubernetes.kubeconfig import read_access
from transom.node.layout import Layout
from transom.node.steps.join import Layout as JoinLayout

T = TypeVar("T")
_RUNTIMES = ("containerd", "docker")
_SERVICES = ("containerd", "docker", "kubelet", "kube-proxy", "flanneld", "rancher-wins", "hns")
_PIPES = ("containerd-containerd", "docker_engine", "cri-dockerd", "rancher_wins")
_FEATURES = ("Containers", "Microsoft-Hyper-V")
_KUBECONFIG = r"C:\etc\kubernetes\kubelet.conf"


def inventory(machine: Machine, layout: Layout, *, features: bool = False) -> Inventory:
    """Name, build, rights, network, and what matters to a node; features only where asked for."""
    build, revision = machine.system.build()
    recipe = kept_recipe(machine.files, layout)
    return Inventory(
        name=machine.system.computer_name(),
        windows=WindowsVersion(build=build, revision=revision),
        elevated=machine.system.elevated(),
        reboot_pending=machine.system.reboot_pending(),
        free_bytes=machine.system.free_bytes("C:\\"),
        adapters=tuple(
            FoundAdapter(name=item.name, addresses=item.addresses, dhcp=item.dhcp)
            for item in machine.network.adapters()
        ),
        dns_suffixes=machine.network.dns_suffixes(),
        defender=machine.defender.present(),
        runtimes=tuple(name for name in _RUNTIMES if machine.services.get(name)),
        services=tuple(_service(machine, name) for name in _SERVICES if machine.services.get(name)),
        edition=machine.system.edition(),
        domain=_known(machine.system.domain, ""),
        volumes=tuple(
            FoundVolume(root=root, bytes=volume.total, free_bytes=volume.free)
            for root, volume in machine.system.volumes().items()
        ),
        pipes=_known(lambda: _own_pipes(machine), ()),
        joined_to=_joined_to(machine.files, recipe),
        installed=_installed(recipe),
        features=_features(machine) if features else {},
    )


def _known(look: Callable[[], T], otherwise: T) -> T:
    """What a look gives; an inventory is worth having without what one Windows cannot tell."""
    try:
        return look()
    except TransomError:
        return otherwise


def _joined_to(files: ReadFiles, recipe: Recipe | None) -> str:
    path = JoinLayout.of(recipe.join).kubeconfig if recipe else _KUBECONFIG
    if files.kind(path) is not PathKind.FILE:
        return ""
    return _known(lambda: read_access(files.read(path).decode("utf-8", "replace")).endpoint, "")


def _installed(recipe: Recipe | None) -> dict[str, str]:
    return {item.id: item.version for item in recipe.artifacts} if recipe else {}


def _features(host: ReadHost) -> dict[str, str]:
    return {name: _feature(host, name) for name in _FEATURES}


def _feature(host: ReadHost, name: str) -> str:
    return _known(lambda: host.features.state(name).value, "")


def _own_pipes(machine: Machine) -> tuple[str, ...]:
    return tuple(name for name in machine.vitals.pipes() if name in _PIPES)


def _service(host: ReadHost, name: str) -> FoundService:
    definition = host.services.get(name)
    assert definition is not None
    return FoundService(
        name=name,
        command=definition.command,
        start=definition.start,
        running=host.services.running(name),
    )
