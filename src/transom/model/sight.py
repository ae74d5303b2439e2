"""What a cluster says of one node, for whoever diagnoses its host: the node program cannot ask.

Made by `fleet` from the Kubernetes API, handed to the node program on stdin, kept in what `collect`
brings back. It holds nothing secret.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from transom.model.api_versions import written
from transom.model.recipe import Recipe
from transom.model.records import dataclass


class RequestState(Enum):
    """What became of a certificate signing request."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateRequestSight:
    """A certificate signing request; `created` counts seconds since the epoch.

    `username` is who asks, `subject` the name the certificate would be for, and `names` its
    alternative names, DNS and IP. `unreadable` is why the names cannot be told: the cluster's signer
    may read others in it.
    """

    name: str
    signer: str
    username: str
    subject: str
    created: int
    state: RequestState
    message: str = ""
    names: tuple[str, ...] = ()
    usages: tuple[str, ...] = ()
    unreadable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionSight:
    """A condition of the Node."""

    type: str
    status: str
    reason: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSight:
    """The Node object."""

    name: str
    conditions: tuple[ConditionSight, ...] = ()
    pod_cidrs: tuple[str, ...] = ()
    kubelet: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlannelSight:
    """What the cluster's Flannel is set to; `backend` is its own word for it."""

    network: str
    backend: str
    vni: int | None = None
    port: int | None = None
    mtu: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSight:
    """A Service that kube-proxy serves on every node; `created` counts seconds since the epoch.

    `addresses` are its cluster IPs, `backends` the addresses of its ready endpoints.
    """

    namespace: str
    name: str
    addresses: tuple[str, ...]
    backends: tuple[str, ...] = ()
    created: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSight:
    """The cluster's side; `time` counts seconds since the epoch, zero where it was not told.

    `approvers` are the ClusterRoleBindings by which nodes' client certificates are approved without
    a person: those of the first one, and those of its renewals. `unread` says of each field that could
    not be read why: it is empty here, and not in the cluster.
    """

    time: int = 0
    version: str = ""
    node: NodeSight | None = None
    requests: tuple[CertificateRequestSight, ...] = ()
    approvers: tuple[str, ...] = ()
    flannel: FlannelSight | None = None
    pod_cidrs: tuple[str, ...] = ()
    service_cidrs: tuple[str, ...] = ()
    services: tuple[ServiceSight, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What the caller of doctor or collect knows and the host does not; all of it may be missing."""

    api_version: str = written("Given")
    kind: str = "Given"
    recipe: Recipe | None = None
    cluster: ClusterSight | None = None
