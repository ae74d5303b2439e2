"""Rows of `network.toml`: plugins, modes and what each needs of the cluster."""

from typing import ClassVar

from transom.facts.rows import Row


class PluginRow(Row):
    """A network plugin: `modes` it has on Windows, empty where Windows has none of it.

    `managed` means that the plugin's own installer writes its CNI configuration. `daemon_sets` are
    those by which one tells that the Linux nodes run it.
    """

    subject: ClassVar[str] = "network"
    table: ClassVar[str] = "plugin"
    name: str
    title: str
    modes: tuple[str, ...]
    default_mode: str = ""
    minimum: str = ""
    runtimes: tuple[str, ...] = ("containerd", "docker")
    managed: bool = False
    needs: str = ""
    daemon_sets: tuple[str, ...] = ()


class ModeRow(Row):
    """What a mode of a plugin fixes: the HNS network's name and type, VNI and port."""

    subject: ClassVar[str] = "network"
    table: ClassVar[str] = "mode"
    plugin: str
    mode: str
    network_name: str
    network_type: str
    vni: int = 0
    port: int = 0


class CniRow(Row):
    """The CNI configuration of a plugin's mode: its file and the shape of its policies.

    `capabilities` are those the plugin acts on. `loopback_dsr` is the key, with a dot where it is
    nested, by which a pod reaches itself where kube-proxy uses direct server return.
    """

    subject: ClassVar[str] = "network"
    table: ClassVar[str] = "cni"
    plugin: str
    mode: str
    runtime: str
    file: str
    cni_version: str
    plugin_type: str
    delegate: str
    policies: str
    capabilities: tuple[str, ...] = ("portMappings", "dns")
    loopback_dsr: str = ""


class MtuRow(Row):
    """How many bytes a mode takes from a packet, or what a platform leaves."""

    subject: ClassVar[str] = "network"
    table: ClassVar[str] = "mtu"
    name: str
    bytes: int
    text: str


class DirectRow(Row):
    """An address that no proxy can reach in a machine's place, so that it is always reached directly."""

    subject: ClassVar[str] = "network"
    table: ClassVar[str] = "direct"
    address: str
    text: str


class ModeLimit(Row):
    """Something a mode cannot do, with one plugin or with every one, checked when a fleet asks for it."""

    subject: ClassVar[str] = "network"
    table: ClassVar[str] = "limit"
    mode: str
    feature: str
    text: str
    plugin: str = ""


class ProxyFeature(Row):
    """What kube-proxy can do on Windows, by mode."""

    subject: ClassVar[str] = "network"
    table: ClassVar[str] = "proxy_feature"
    title: str
    l2bridge: str
    overlay: str
    needs: str = ""
