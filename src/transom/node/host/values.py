"""What the nouns of a host are made of: plain values that the protocols speak in."""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Any

from transom.model.records import dataclass


class PathKind(Enum):
    """What is at a path; a link or junction is never followed."""

    ABSENT = "absent"
    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"


# The kinds of registry values that are written and read back, as recipes and journals name them.
REGISTRY_TYPES = ("string", "expand-string", "dword", "qword", "multi-string")


@dataclass(frozen=True, slots=True)
class RegistryData:
    """The content of a registry value: its type as Windows names it, and the value."""

    type: str
    value: str | int | tuple[str, ...]


class FeatureState(Enum):
    """Whether a Windows feature is on; the middle two wait for a reboot."""

    ENABLED = "enabled"
    ENABLE_PENDING = "enable-pending"
    DISABLE_PENDING = "disable-pending"
    DISABLED = "disabled"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class FirewallPort:
    """An inbound rule that allows one port."""

    protocol: str
    port: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceDefinition:
    """A service as the service manager stores it; `command` is one quoted command line."""

    command: str
    display_name: str
    start: str
    depends_on: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    restart_delays_ms: tuple[int, ...] = ()
    reset_s: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """How an outside program ended; secrets are already masked in its output."""

    code: int
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """A network adapter with its addresses."""

    name: str
    addresses: tuple[str, ...]
    dhcp: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeHealth:
    """A Node as the API server has it: the kubelet's version, and why it is not Ready."""

    ready: bool
    kubelet: str
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStatus:
    """What the service manager says of a service now; `exit_code` is that of its last end."""

    state: str
    exit_code: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HnsState:
    """Everything the host network service has, as it describes it."""

    networks: tuple[Mapping[str, Any], ...] = ()
    endpoints: tuple[Mapping[str, Any], ...] = ()
    balancers: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterNode:
    """What the API server says of a Node; `pod_range` is empty while it has none."""

    pod_range: str = ""
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Volume:
    """Room on a volume, in bytes."""

    free: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Who signed a file; `problem` says why Windows does not trust that, and is empty where it does."""

    subject: str
    issuer: str
    thumbprint: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class WebAnswer:
    """What a server answered; its text form never shows the body, which may be a secret."""

    status: int
    body: bytes = field(repr=False)
