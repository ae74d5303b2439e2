"""Rows of `install.toml`: what a Windows node is made of, each under its conditions.

`when` lists conditions that must all hold, such as `runtime=containerd`, `plugin=flannel`,
`mode=overlay`, `privileged=services`, `isolation=hyperv` or `proxy=set`. Text may use the
placeholders of `transom.recipe.case`, such as {k} or {kubernetes}.
"""

from typing import ClassVar

from transom.facts.rows import Row


class Conditional(Row):
    """A row that only some hosts need."""

    subject: ClassVar[str] = "install"
    when: tuple[str, ...] = ()


class DefaultVersion(Row):
    """The version of a program where the fleet names none; `id` is `version-PROGRAM`."""

    subject: ClassVar[str] = "install"
    table: ClassVar[str] = "version"
    version: str


class ArtifactRow(Conditional):
    """A download: `url` and `checksum` are patterns; an empty checksum means none is published."""

    table: ClassVar[str] = "artifact"
    name: str
    version: str
    url: str
    unpack: str
    path: str
    checksum: str = ""
    members: tuple[str, ...] = ()


class DirectoryRow(Conditional):
    """A directory: its placeholder `key`, and `access`, the id of an access row or empty."""

    table: ClassVar[str] = "directory"
    key: str
    path: str
    access: str = ""


class ProtectedFileRow(Conditional):
    """A file others write, closed to all but administrators afterwards."""

    table: ClassVar[str] = "protected_file"
    path: str


class AccessRow(Row):
    """A named security descriptor."""

    subject: ClassVar[str] = "install"
    table: ClassVar[str] = "access"
    sddl: str


class FeatureRow(Conditional):
    """A Windows feature."""

    table: ClassVar[str] = "feature"
    name: str


class RegistryRow(Conditional):
    """A value under HKEY_LOCAL_MACHINE."""

    table: ClassVar[str] = "registry"
    key: str
    name: str
    type: str
    value: str | int


class EnvironmentRow(Conditional):
    """A machine-wide variable, or an entry appended to a list such as PATH."""

    table: ClassVar[str] = "environment"
    name: str
    value: str
    append: bool = False


class PortRow(Conditional):
    """A port that other machines must reach, and the firewall rule that lets them."""

    table: ClassVar[str] = "port"
    name: str
    protocol: str
    port: str


class RouteRow(Conditional):
    """A route; `keep` means put back only where the host had it."""

    table: ClassVar[str] = "route"
    prefix: str
    gateway: str
    keep: bool = False


class ExclusionRow(Conditional):
    """A process that Windows Defender must not slow down."""

    table: ClassVar[str] = "exclusion"
    process: str


class ServiceRow(Conditional):
    """A Windows service; its arguments are rows of their own."""

    table: ClassVar[str] = "service"
    name: str
    display_name: str
    program: str
    start: str
    depends_on: tuple[str, ...] = ()
    flags_file: str = ""
    runs: str = ""
    restart_delays_ms: tuple[int, ...] = ()
    reset_s: int = 0


class ArgumentRow(Conditional):
    """One argument of a service's command line; the order of the file is the order there."""

    table: ClassVar[str] = "argument"
    service: str
    text: str


class ProgramRow(Conditional):
    """An upstream program that the node program keeps running; its arguments are rows of their own.

    `environment` has entries NAME=value.
    """

    table: ClassVar[str] = "program"
    name: str
    version: str
    program: str
    log: str
    log_bytes: int
    wait_s: int
    restart_delays_s: tuple[int, ...]
    makes_network: bool = False
    environment: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    restart_on: tuple[str, ...] = ()


class ProgramArgumentRow(Conditional):
    """One argument of such a program; the order of the file is the order on its command line."""

    table: ClassVar[str] = "program_argument"
    program: str
    text: str


class SourceVipRow(Conditional):
    """Where kube-proxy's own address comes from: an HNS endpoint by name, or the plugin host-local."""

    table: ClassVar[str] = "source_vip"
    endpoint: str = ""
    reserve_with: str = ""
    leases: str = ""


class HostNetworkRow(Conditional):
    """A Docker network the kubelet looks for by name."""

    table: ClassVar[str] = "host_network"
    name: str
    driver: str
    program: str


class ManualSettingRow(Conditional):
    """A field of the kubelet's configuration for a join without kubeadm, by its name."""

    table: ClassVar[str] = "manual_setting"
    path: str
    value: object


class ManualArgumentRow(Conditional):
    """An argument of the kubelet for a join without kubeadm."""

    table: ClassVar[str] = "manual_argument"
    text: str


class SettingRow(Conditional):
    """One field of the kubelet's configuration, by its dotted path."""

    table: ClassVar[str] = "kubelet_setting"
    path: str
    value: object
