"""What Transom asks of a cluster: a few values and the calls that read and change them.

`client` is the real one and `memory` its twin for tests and demonstrations; one contract suite holds
both to the same answers. Called by `fleet`.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Protocol

from transom.model.records import dataclass
from transom.model.sight import CertificateRequestSight, NodeSight, ServiceSight


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A Node as far as a fleet needs it; `problem` is why it is not Ready, in the kubelet's words.

    `system` is `windows` or `linux`, `kernel` its build in full, `runtime` such as
    `containerd://2.2.1`. Taints are as kubectl writes them: `os=windows:NoSchedule`.
    """

    name: str
    ready: bool
    problem: str = ""
    unschedulable: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    kubelet: str = ""
    system: str = ""
    kernel: str = ""
    runtime: str = ""
    addresses: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod on a node, as far as draining needs it; `controller` is the kind that made it."""

    namespace: str
    name: str
    node: str
    labels: Mapping[str, str] = field(default_factory=dict)
    controller: str = ""
    is_mirror: bool = False
    is_finished: bool = False
    is_leaving: bool = False
    has_empty_dir: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A Secret to be made; its text form shows no value."""

    namespace: str
    name: str
    type: str
    data: Mapping[str, str] = field(repr=False)


Judge = Callable[[CertificateRequestSight], str]
"""Says why a request is not approved; empty where it is."""


class Api(Protocol):
    """The cluster."""

    async def version(self) -> str:
        """What the API server runs, without a leading v."""
        ...

    async def config_map(self, namespace: str, name: str) -> Mapping[str, str] | None:
        """A ConfigMap's data, or None where there is none."""
        ...

    async def secret(self, namespace: str, name: str) -> Mapping[str, bytes] | None:
        """A Secret's data, decoded, or None where there is none."""
        ...

    async def time(self) -> int:
        """The API server's clock, in seconds since the epoch."""
        ...

    async def node_sight(self, name: str) -> NodeSight | None:
        """A Node as a diagnosis sees it, or None where there is none."""
        ...

    async def request_sights(self) -> tuple[CertificateRequestSight, ...]:
        """Every CertificateSigningRequest, with what became of it."""
        ...

    async def bound_to(self, prefix: str) -> tuple[str, ...]:
        """The ClusterRoles with that beginning that some ClusterRoleBinding gives to somebody."""
        ...

    async def service_sights(self) -> tuple[ServiceSight, ...]:
        """Every Service that kube-proxy serves on all nodes, with its ready endpoints."""
        ...

    async def create_secret(self, secret: Secret) -> None:
        """Make a Secret that is not there yet."""
        ...

    async def delete_secret(self, namespace: str, name: str) -> bool:
        """Have no such Secret; False where there was none."""
        ...

    async def node(self, name: str) -> Node | None:
        """A Node, or None where there is none."""
        ...

    async def nodes(self) -> tuple[Node, ...]:
        """Every Node."""
        ...

    async def label_node(self, name: str, labels: Mapping[str, str | None]) -> None:
        """Have these labels on a Node, as its kubelet may not; those of no value are taken off."""
        ...

    async def pods_on(self, node: str) -> tuple[Pod, ...]:
        """Every pod that is bound to a Node."""
        ...

    async def evict(self, pod: Pod, *, grace_period_s: int | None = None) -> str:
        """Ask a pod to leave; empty where it goes or is gone, else the budget that keeps it."""
        ...

    async def daemon_sets(self) -> tuple[Mapping[str, Any], ...]:
        """Every DaemonSet, as JSON has it."""
        ...

    async def approve(self, request: str, *, reason: str, judge: Judge) -> str:
        """Approve a CertificateSigningRequest, unless its judge says why not; that is returned.

        What is judged is what is approved: the request as it is read for this, in one version.
        """
        ...

    async def set_unschedulable(self, name: str, *, unschedulable: bool) -> None:
        """Let a Node take no new pods, or take them again."""
        ...

    async def delete_node(self, name: str) -> bool:
        """Have no such Node; False where there was none."""
        ...

    async def close(self) -> None:
        """End the connections."""
        ...
