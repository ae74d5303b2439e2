"""The cluster's twin in memory: the same calls and the same refusals, without a server."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from transom.errors import PermanentError
from transom.kube.api import Node, Secret
from transom.model.sight import CertificateRequestSight, ConditionSight, NodeSight


@dataclass
class MemoryApi:
    """A cluster that is only these values."""

    server_version: str
    config_maps: dict[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)
    secrets: dict[tuple[str, str], Secret] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    clock: int = 0
    sights: dict[str, NodeSight] = field(default_factory=dict)
    seen_requests: list[CertificateRequestSight] = field(default_factory=list)
    bound_roles: tuple[str, ...] = ()

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
        return self.nodes.get(name)

    async def set_unschedulable(self, name: str, *, unschedulable: bool) -> None:
        """Mark it."""
        if name not in self.nodes:
            raise PermanentError(f"there is no Node {name}", subject=name)
        self.nodes[name] = replace(self.nodes[name], unschedulable=unschedulable)

    async def delete_node(self, name: str) -> bool:
        """Forget it."""
        return self.nodes.pop(name, None) is not None

    async def close(self) -> None:
        """Nothing is open."""
