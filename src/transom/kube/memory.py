"""The cluster's twin in memory: the same calls and the same refusals, without a server."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from transom.errors import PermanentError
from transom.kube.api import Judge, Node, Pod, Secret
from transom.model.sight import (
    CertificateRequestSight,
    ConditionSight,
    NodeSight,
    RequestState,
    ServiceSight,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A PodDisruptionBudget: of the pods with these labels so many must stay."""

    labels: Mapping[str, str]
    min_available: int


@dataclass
class MemoryApi:
    """A cluster that is only these values."""

    server_version: str
    context: str = ""
    config_maps: dict[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)
    secrets: dict[tuple[str, str], Secret] = field(default_factory=dict)
    held_nodes: dict[str, Node] = field(default_factory=dict)
    clock: int = 0
    sights: dict[str, NodeSight] = field(default_factory=dict)
    seen_requests: list[CertificateRequestSight] = field(default_factory=list)
    bound_roles: tuple[str, ...] = ()
    seen_services: tuple[ServiceSight, ...] = ()
    pods: dict[tuple[str, str], Pod] = field(default_factory=dict)
    budgets: dict[tuple[str, str], Budget] = field(default_factory=dict)
    held_daemon_sets: tuple[Mapping[str, Any], ...] = ()

    async def version(self) -> str:
        """What it was told to run."""
        return self.server_version

    async def config_map(self, namespace: str, name: str) -> Mapping[str, str] | None:
        """Look it up."""
        return self.config_maps.get((namespace, name))

    async def secret(self, namespace: str, name: str) -> Mapping[str, bytes] | None:
        """Look it up."""
        found = self.secrets.get((namespace, name))
        return None if found is None else {key: v.encode() for key, v in found.data.items()}

    async def time(self) -> int:
        """What it was told."""
        return self.clock

    async def node_sight(self, name: str) -> NodeSight | None:
        """Tell it from the Node, unless a test says more."""
        found = await self.node(name)
        if found is None or name in self.sights:
            return self.sights.get(name)
        status = "True" if found.ready else "False"
        ready = ConditionSight(type="Ready", status=status, message=found.problem)
        return NodeSight(name=name, conditions=(ready,), kubelet=found.kubelet)

    async def request_sights(self) -> tuple[CertificateRequestSight, ...]:
        """Those it was given."""
        return tuple(self.seen_requests)

    async def bound_to(self, prefix: str) -> tuple[str, ...]:
        """Those it was given."""
        return tuple(sorted(role for role in self.bound_roles if role.startswith(prefix)))

    async def service_sights(self) -> tuple[ServiceSight, ...]:
        """Those it was given."""
        return self.seen_services

    async def create_secret(self, secret: Secret) -> None:
        """Keep it, unless there is one of that name."""
        key = (secret.namespace, secret.name)
        if key in self.secrets:
            raise PermanentError(f"Secret {secret.name} already exists", subject=secret.name)
        self.secrets[key] = secret

    async def delete_secret(self, namespace: str, name: str) -> bool:
        """Forget it."""
        return self.secrets.pop((namespace, name), None) is not None

    async def node(self, name: str) -> Node | None:
        """Look it up."""
        return self.held_nodes.get(name)

    async def nodes(self) -> tuple[Node, ...]:
        """All of them."""
        # `node` may know of one that nobody has asked for yet.
        found = [await self.node(name) for name in tuple(self.held_nodes)]
        return tuple(node for node in found if node is not None)

    async def label_node(self, name: str, labels: Mapping[str, str | None]) -> None:
        """Mark it."""
        node = self._known(name)
        wanted = {**node.labels, **labels}
        kept = {key: value for key, value in wanted.items() if value is not None}
        self.held_nodes[name] = replace(node, labels=kept)

    async def pods_on(self, node: str) -> tuple[Pod, ...]:
        """Look through all."""
        return tuple(pod for pod in self.pods.values() if pod.node == node)

    async def evict(self, pod: Pod, *, grace_period_s: int | None = None) -> str:
        """Have it gone at once, unless a budget needs it."""
        del grace_period_s
        key = (pod.namespace, pod.name)
        if key not in self.pods:
            return ""
        for (namespace, name), budget in self.budgets.items():
            if namespace != pod.namespace or not _has(self.pods[key], budget.labels):
                continue
            there = [item for item in self.pods.values() if item.namespace == namespace]
            healthy = sum(_has(item, budget.labels) and not item.is_finished for item in there)
            if healthy <= budget.min_available:
                return (
                    f"The disruption budget {name} needs {budget.min_available} healthy pods "
                    f"and has {healthy} currently"
                )
        del self.pods[key]
        return ""

    async def daemon_sets(self) -> tuple[Mapping[str, Any], ...]:
        """Those it was given."""
        return self.held_daemon_sets

    async def approve(self, request: str, *, reason: str, judge: Judge) -> str:
        """Mark it."""
        del reason
        for number, found in enumerate(self.seen_requests):
            if found.name == request:
                why_not = judge(found)
                if not why_not:
                    self.seen_requests[number] = replace(found, state=RequestState.APPROVED)
                return why_not
        raise PermanentError(f"there is no CertificateSigningRequest {request}", subject=request)

    async def set_unschedulable(self, name: str, *, unschedulable: bool) -> None:
        """Mark it."""
        self.held_nodes[name] = replace(self._known(name), unschedulable=unschedulable)

    async def delete_node(self, name: str) -> bool:
        """Forget it."""
        return self.held_nodes.pop(name, None) is not None

    async def close(self) -> None:
        """Nothing is open."""

    def _known(self, name: str) -> Node:
        if name not in self.held_nodes:
            raise PermanentError(f"there is no Node {name}", subject=name)
        return self.held_nodes[name]


def _has(pod: Pod, labels: Mapping[str, str]) -> bool:
    return all(pod.labels.get(key) == value for key, value in labels.items())
