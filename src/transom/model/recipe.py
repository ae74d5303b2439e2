"""The recipe: exactly what one Windows host needs, as plain data without a secret.

Made by `transom.recipe` from a fleet and the facts; read by the node program, boot data and image
templates. Every entry has `why`: the id of the fact (or the fleet's key) it rests on.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from transom.model.api_versions import written
from transom.model.records import dataclass
from transom.model.taint import Taint

# The label a prepared node registers with; add-ons run where it is.
PREPARED = {"transom.dev/prepared": "true"}
# The label of a node that can isolate pods by more than a process.
ISOLATION = "transom.dev/isolation"


class Unpack(Enum):
    """How an artifact becomes files: as it is, or some members of an archive."""

    FILE = "file"
    ZIP = "zip"
    TAR_GZ = "tar.gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of an archive and the path it gets on the host."""

    name: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A download with its hash; `sha256` is None until a lock names it.

    `path` is where the artifact itself goes (a single file) or is kept while it is unpacked.
    """

    id: str
    version: str
    url: str
    sha256: str | None
    unpack: Unpack
    path: str
    members: tuple[Member, ...]
    why: str
    file: str = ""
    authenticode: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A Windows feature that must be on; enabling it may ask for a reboot."""

    name: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory:
    """A directory; `acl` is its security descriptor in SDDL, empty where it inherits."""

    path: str
    acl: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file with its whole content.

    `fills` names what only the joined node knows, such as `nodePodCIDR`: the node program puts it
    in place of `{{nodePodCIDR}}` once the cluster has told.
    """

    path: str
    content: str
    acl: str
    why: str
    fills: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectedFile:
    """A file that kubeadm or the kubelet writes and whose access we set afterwards."""

    path: str
    acl: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryValue:
    """A value under HKEY_LOCAL_MACHINE."""

    key: str
    name: str
    type: str
    value: str | int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentValue:
    """A machine-wide variable, or with `append` an entry of a list such as PATH."""

    name: str
    value: str
    append: bool
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FirewallRule:
    """An inbound rule that allows one port."""

    name: str
    protocol: str
    port: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A persistent route; with `keep` only put back where the host had it before."""

    prefix: str
    gateway: str
    keep: bool
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What the service manager does when a service ends by itself."""

    restart_delays_ms: tuple[int, ...]
    reset_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A Windows service with its whole command line.

    `flags_file` names the file that a join writes kubelet arguments to: the command line has the node
    program read it at each start, and until it is there the service is not started.
    `runs` names the program of the recipe that it keeps running: it is of use to a joined node only.
    """

    name: str
    display_name: str
    command: tuple[str, ...]
    start: str
    depends_on: tuple[str, ...]
    environment: Mapping[str, str]
    recovery: Recovery | None
    flags_file: str
    why: str
    runs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceVip:
    """Where kube-proxy gets the address it speaks from on an overlay.

    It is reserved once with the plugin `reserve_with`, host-local, whose leases are in `leases`; or
    it is the address of the HNS endpoint `endpoint`, where the network has one for this.
    """

    endpoint: str
    reserve_with: str
    leases: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """An upstream program that `node.pyz run NAME` keeps running, in a HostProcess pod or a service.

    `command` and `environment` may hold `{{kubeconfig}}`, `{{nodeAddress}}` and `{{sourceVIP}}`, which
    only the joined node knows. It begins when the HNS network `network` is there, unless it
    `makes_network` itself. What it `leaves` in HNS when it ends is removed before it begins again.
    A line of its log with one of `restart_on` says that it ended on purpose, to be started again.
    """

    name: str
    version: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    network: str
    makes_network: bool
    source_vip: SourceVip | None
    leaves: tuple[str, ...]
    restart_on: tuple[str, ...]
    restart_delays_s: tuple[int, ...]
    wait_s: int
    log: str
    log_bytes: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostNetwork:
    """A Docker network that must exist by name while the kubelet runs (legacy only).

    `program` is the docker.exe that makes it.
    """

    name: str
    driver: str
    program: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DefenderExclusion:
    """A process that Windows Defender leaves alone."""

    process: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A container image the host needs before its first pod."""

    reference: str
    purpose: str
    builds: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """A Windows update that must be in, told by the build's revision."""

    kb: str
    revision: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a host must have before it is touched."""

    free_disk_gib: int
    clock_skew_s: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkPlan:
    """The pod network as this host must see it."""

    plugin: str
    version: str
    mode: str
    name: str
    pod_cidrs: tuple[str, ...]
    service_cidrs: tuple[str, ...]
    cluster_dns: tuple[str, ...]
    vni: int | None
    port: int | None
    mtu: int | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinPlan:
    """What kubeadm is told when the host joins; token and hashes come with the request."""

    api_version: str
    cri_socket: str
    node_name: str
    taints: tuple[Taint, ...]
    labels: Mapping[str, str]
    kubelet_extra_args: Mapping[str, str]
    patches_directory: str
    flags_file: str
    ca_certificate: str
    ignore_preflight_errors: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualKubelet:
    """What the kubelet is told where no kubeadm does: its whole configuration, and arguments."""

    config: Mapping[str, Any]
    arguments: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KubeletPlan:
    """The kubelet's configuration as we change it, and the reserves in it.

    `config` is merged over what kubeadm downloads, as a kubeadm patch where the version has
    those, else by the node program. `manual` is for a join without kubeadm, with `config` in it.
    """

    config: Mapping[str, Any]
    patch_file: str
    manual: ManualKubelet
    why: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Which host of which fleet this recipe is for."""

    fleet: str
    pool: str
    name: str
    address: str
    rename: bool
    reboot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The versions the recipe was resolved for; the node program checks the host against them."""

    kubernetes: str
    windows_release: str
    windows_build: int
    runtime: str
    runtime_version: str
    privileged: str
    isolation: str
    end_of_life: bool
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Everything one host needs. The order inside each list is the order of work."""

    api_version: str = written("Recipe")
    kind: str = "Recipe"
    identity: Identity
    target: Target
    limits: Limits
    network: NetworkPlan
    features: tuple[Feature, ...]
    updates: tuple[Update, ...]
    directories: tuple[Directory, ...]
    artifacts: tuple[Artifact, ...]
    files: tuple[File, ...]
    protected_files: tuple[ProtectedFile, ...]
    registry: tuple[RegistryValue, ...]
    environment: tuple[EnvironmentValue, ...]
    dns_suffixes: tuple[str, ...]
    routes: tuple[Route, ...]
    firewall: tuple[FirewallRule, ...]
    defender_exclusions: tuple[DefenderExclusion, ...]
    images: tuple[Image, ...]
    services: tuple[Service, ...]
    host_networks: tuple[HostNetwork, ...]
    kubelet: KubeletPlan
    join: JoinPlan
    notes: tuple[str, ...]
    programs: tuple[Program, ...] = ()

    @property
    def computer_name(self) -> str:
        """What Windows calls the host; empty in a recipe for no host in particular."""
        return self.identity.name if self.join.node_name else ""
