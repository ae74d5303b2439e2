"""A fleet as a person meant it: the cluster, the versions, the network and each host in full.

`spec` makes these values from a document: every host is already merged (defaults, then its pool,
then itself), lists are tuples, text is as written. The recipe resolves them against the facts;
what the document left out and the facts decide (versions, ports, the VNI) is None here. There is
no place for a secret's value, only for where it is.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from transom.model.lock import Default
from transom.model.records import dataclass
from transom.model.taint import Taint


class Privileged(StrEnum):
    """How programs that must act on the host itself are run."""

    HOSTPROCESS = "hostprocess"
    WINS = "wins"
    SERVICES = "services"


class CalicoInstaller(StrEnum):
    """Who installs Calico on the Linux nodes, and so what Windows nodes can rely on."""

    OPERATOR = "operator"
    MANIFEST = "manifest"


class NetworkMode(StrEnum):
    """How pods reach other nodes: encapsulated, or routed on the host's own network."""

    OVERLAY = "overlay"
    L2BRIDGE = "l2bridge"


CLUSTER_DOMAIN = "cluster.local"
"""What kubeadm gives a cluster where nobody says otherwise (kubernetes/kubernetes kubeadm v1beta4 defaults.go)."""
FLANNEL_BACKENDS = {NetworkMode.OVERLAY: "vxlan", NetworkMode.L2BRIDGE: "host-gw"}
"""What Flannel calls each mode (flannel-io/flannel Documentation/backends.md)."""
FLANNEL_MODES = {backend: mode for mode, backend in FLANNEL_BACKENDS.items()}


class Transport(StrEnum):
    """How a host is reached."""

    SSH = "ssh"
    WINRM = "winrm"
    LOCAL = "local"


class Reboot(StrEnum):
    """Whether Transom may reboot a host where a step needs it."""

    ALLOWED = "allowed"
    REFUSED = "refused"


class SecretType(StrEnum):
    """What a secret for a host is said to be."""

    PRIVATE_KEY = "private key"
    PASSWORD = "password"  # noqa: S105 - the word, not one


class Isolation(StrEnum):
    """What separates a container from its host: a kernel shared, or a virtual machine each."""

    PROCESS = "process"
    HYPERV = "hyperv"


@dataclass(frozen=True, slots=True)
class FromAgent:
    """The key is in the SSH agent."""


@dataclass(frozen=True, slots=True)
class FromFile:
    """The secret is in a file of the machine that runs Transom; `~` is not yet expanded."""

    path: str


@dataclass(frozen=True, slots=True)
class FromEnvironment:
    """The secret is in a variable of Transom's own environment."""

    name: str


@dataclass(frozen=True, slots=True)
class FromCommand:
    """The secret is what a program prints; an argument list, never a shell's line."""

    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FromPrompt:
    """The secret is asked of the person at the terminal."""


@dataclass(frozen=True, slots=True)
class FromSecret:
    """The secret is one key of a Secret in the cluster."""

    namespace: str
    name: str
    key: str


Credential = FromAgent | FromFile | FromEnvironment | FromCommand | FromPrompt | FromSecret


@dataclass(frozen=True, slots=True)
class Cluster:
    """The existing cluster: by kubeconfig, or by what a join without one needs.

    `version` is what the API server runs where the document says so, and `feature_gates` what was
    switched on or off there; both matter to what a node may be.
    """

    kubeconfig: str | None = None
    context: str | None = None
    endpoint: str | None = None
    ca_cert_hashes: tuple[str, ...] = ()
    token_from: Credential | None = None
    version: str | None = None
    feature_gates: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KubernetesSpec:
    """The version of the node's own binaries; `cluster` means what the API server runs."""

    version: str


@dataclass(frozen=True, slots=True)
class ContainerdSpec:
    """containerd, for each registry the mirrors asked before it, and a site's own pause image.

    `config_patch` is TOML that a site adds to config.toml.
    """

    version: str | None = None
    mirrors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pause_image: str | None = None
    config_patch: str = ""


@dataclass(frozen=True, slots=True)
class DockerSpec:
    """Docker with dockershim: legacy."""

    version: str | None = None


@dataclass(frozen=True, slots=True)
class Runtime:
    """The container runtime; exactly one is set."""

    containerd: ContainerdSpec | None = None
    docker: DockerSpec | None = None


@dataclass(frozen=True, slots=True)
class FlannelSpec:
    """Flannel."""

    version: str | None = None
    mode: NetworkMode | None = None
    vni: int | None = None
    port: int | None = None


@dataclass(frozen=True, slots=True)
class CalicoSpec:
    """Calico, as its operator installs it, or as plain manifests do."""

    version: str | None = None
    mode: NetworkMode | None = None
    installer: CalicoInstaller | None = None


@dataclass(frozen=True, slots=True)
class AzureCNISpec:
    """Azure CNI."""

    version: str | None = None


@dataclass(frozen=True, slots=True)
class OVNKubernetesSpec:
    """OVN-Kubernetes with its hybrid overlay."""

    version: str | None = None


@dataclass(frozen=True, slots=True)
class WinCNISpec:
    """The wincni plugin; `node_subnet` is the network of the hosts, which is not translated."""

    version: str | None = None
    node_subnet: str | None = None
    environment: str | None = None


@dataclass(frozen=True, slots=True)
class WinBridgeSpec:
    """The reference plugin win-bridge."""

    version: str | None = None


@dataclass(frozen=True, slots=True)
class WinOverlaySpec:
    """The reference plugin win-overlay."""

    version: str | None = None


@dataclass(frozen=True, slots=True)
class ExternalSpec:
    """A network that somebody else installs, under the name its HNS network has.

    `source_endpoint` is the HNS endpoint whose address kube-proxy sends from, on an overlay.
    """

    network_name: str
    mode: NetworkMode | None = None
    source_endpoint: str | None = None


Plugin = (
    FlannelSpec
    | CalicoSpec
    | AzureCNISpec
    | OVNKubernetesSpec
    | WinCNISpec
    | WinBridgeSpec
    | WinOverlaySpec
    | ExternalSpec
)


@dataclass(frozen=True, slots=True)
class Network:
    """The cluster's network as its nodes must know it."""

    pod_cidrs: tuple[str, ...]
    service_cidrs: tuple[str, ...]
    plugin: Plugin
    cluster_dns: tuple[str, ...] = ()
    mtu: int | None = None
    cluster_domain: str | None = None


@dataclass(frozen=True, slots=True)
class FromURL:
    """Other bytes for an artifact, from an address, with their SHA-256 in lower-case hex."""

    url: str
    sha256: str


@dataclass(frozen=True, slots=True)
class FromLocalFile:
    """Other bytes for an artifact, from a file of the machine that runs Transom."""

    path: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class FromNodeTarball:
    """An artifact taken out of Kubernetes' node tarball, by its path in there."""

    member: str


Override = FromURL | FromLocalFile | FromNodeTarball


@dataclass(frozen=True, slots=True)
class Authenticode:
    """Whose signature an artifact must carry; what is None is not asked for."""

    subject: str | None = None
    issuer: str | None = None
    thumbprint: str | None = None


@dataclass(frozen=True, slots=True)
class Verification:
    """A demand on one artifact beyond its hash."""

    artifact: str
    authenticode: Authenticode


@dataclass(frozen=True, slots=True)
class Source:
    """Where artifacts come from instead of their upstreams; `mirrors` replaces URL prefixes."""

    mirrors: Mapping[str, str] = field(default_factory=dict)
    bundle: str | None = None
    overrides: Mapping[str, Override] = field(default_factory=dict)
    verify: tuple[Verification, ...] = ()


@dataclass(frozen=True, slots=True)
class Proxy:
    """The proxy of the hosts, without credentials."""

    http: str | None = None
    https: str | None = None
    no_proxy: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WindowsSpec:
    """The Windows Server release as written, such as ltsc2022."""

    release: str


@dataclass(frozen=True, slots=True)
class Connection:
    """How one host is reached, and where the secret for it is.

    `host` is where, None for the host's own address. `jump` and `host_keys` belong to SSH.
    `credential_name` is what the fleet calls the credential, and `secret` what it is said to be; where
    only the name is given, nobody has said where it is. What is None is the transport's own default.
    """

    transport: Transport
    host: str | None = None
    user: str | None = None
    port: int | None = None
    jump: str | None = None
    host_keys: tuple[str, ...] = ()
    credential: Credential | None = None
    secret: SecretType | None = None
    credential_name: str | None = None


@dataclass(frozen=True, slots=True)
class KubeletSpec:
    """What the kubelet gets beyond what the facts say: flags, and fields of its configuration."""

    extra_args: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Directories:
    """Folders of the host that are not to be where they usually are."""

    install: str | None = None
    containerd_root: str | None = None
    containerd_state: str | None = None
    logs: str | None = None


@dataclass(frozen=True, slots=True)
class LongName:
    """The wish to keep a name over 15 characters, by the DNS suffix that completes it."""

    dns_suffix: str


@dataclass(frozen=True, slots=True)
class Drain:
    """How pods leave a node before it is disturbed."""

    timeout_s: int = 600
    grace_period_s: int | None = None
    delete_empty_dir_data: bool = False
    force: bool = False


@dataclass(frozen=True, slots=True)
class Upgrade:
    """How many nodes of a pool may be away at once (a count, or `25%`), and how they drain.

    `pause_s` is how long the next wave waits after the one before.
    """

    max_unavailable: int | str = 1
    drain: Drain = field(default_factory=Drain)
    pause_s: int = 0


@dataclass(frozen=True, slots=True)
class Host:
    """One Windows machine, with everything said about it at any level.

    `name` is what people and the file call it; `computer` and `node` are what Windows and its cluster
    do, where that differs. `kubernetes`, `runtime` and `proxy` are None where the fleet's hold.
    """

    name: str
    address: str
    windows: WindowsSpec
    pool: str | None = None
    connection: Connection | None = None
    kubelet: KubeletSpec = field(default_factory=KubeletSpec)
    taints: tuple[Taint, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    directories: Directories = field(default_factory=Directories)
    reboot: Reboot = Reboot.ALLOWED
    rename: bool = False
    long_name: LongName | None = None
    upgrade: Upgrade = field(default_factory=Upgrade)
    isolation: Isolation = Isolation.PROCESS
    computer: str | None = None
    node: str | None = None
    node_ip: str | None = None
    kubernetes: KubernetesSpec | None = None
    runtime: Runtime | None = None
    proxy: Proxy | None = None

    @property
    def computer_name(self) -> str:
        """What Windows calls it."""
        return self.computer or self.name

    @property
    def node_name(self) -> str:
        """What its Node is called: as the kubelet writes the machine's name, unless it is told another."""
        return self.node or self.computer_name.lower()

    def is_called(self, name: str) -> bool:
        """Whether a person may mean this host by a name."""
        return name.lower() in (self.name, self.computer_name.lower(), self.node_name)


@dataclass(frozen=True, slots=True)
class Fleet:
    """One cluster and the Windows hosts that belong to it, in the order they were written."""

    name: str
    cluster: Cluster
    kubernetes: KubernetesSpec
    network: Network
    hosts: tuple[Host, ...]
    runtime: Runtime | None = None
    privileged: Privileged | None = None
    source: Source = field(default_factory=Source)
    proxy: Proxy = field(default_factory=Proxy)
    allow_end_of_life: bool = False
    paused: bool = False
    # Not written by people: what the lock has for what they left open. It goes before the facts.
    locked: tuple[Default, ...] = ()

    def host(self, name: str) -> Host | None:
        """The host that a person means by a name."""
        exact = (host for host in self.hosts if host.name == name)
        return next(exact, None) or next(
            (host for host in self.hosts if host.is_called(name)), None
        )

    def kubernetes_of(self, host: Host) -> KubernetesSpec:
        """The Kubernetes of one host: its pool's, or the fleet's."""
        return host.kubernetes or self.kubernetes
