"""What Transom asks of a cluster, in values: a thin layer over the `door`, the same for a server and its twin."""

from collections.abc import Callable, Mapping
from typing import Any

from transom.errors import PermanentError
from transom.kube.answers import (
    Node,
    Pod,
    Secret,
    decoded,
    node_of,
    pod_of,
    secret_data,
    secret_manifest,
)
from transom.kube.door import (
    CERTIFICATE_REQUEST,
    CONFIG_MAP,
    DAEMON_SET,
    ENDPOINT_SLICE,
    NODE,
    POD,
    ROLE_BINDING,
    SECRET,
    SERVICE,
    Door,
    Resource,
    Selection,
)
from transom.kube.errors import NotFound, Throttled
from transom.kube.sight import node_sight, request_sight, service_sights
from transom.model.manifest import Manifest, ObjectName
from transom.model.sight import CertificateRequestSight, NodeSight, ServiceSight

__all__ = ["Api", "Judge", "Node", "Pod", "Secret"]

Judge = Callable[[CertificateRequestSight], str]
"""Says why a request is not approved; empty where it is."""


class Api:
    """A cluster in values."""

    def __init__(self, door: Door) -> None:
        self.door = door

    @property
    def server(self) -> str:
        """Where it is."""
        return self.door.server

    @property
    def context(self) -> str:
        """The kubeconfig's name for it."""
        return self.door.context

    async def version(self) -> str:
        """What the API server runs, without a leading v."""
        return await self.door.version()

    async def time(self) -> int:
        """The API server's clock, in seconds since the epoch."""
        return await self.door.time()

    async def config_map(self, namespace: str, name: str) -> Mapping[str, str] | None:
        """A ConfigMap's data, or None where there is none."""
        found = await self.door.get(_named(CONFIG_MAP, name, namespace))
        return None if found is None else found.get("data") or {}

    async def secret(self, namespace: str, name: str) -> Mapping[str, bytes] | None:
        """A Secret's data, decoded, or None where there is none."""
        found = await self.door.get(_named(SECRET, name, namespace))
        return None if found is None else decoded(secret_data, found)

    async def create_secret(self, secret: Secret) -> None:
        """Make a Secret that is not there yet."""
        await self.door.create(secret_manifest(secret))

    async def delete_secret(self, namespace: str, name: str) -> bool:
        """Have no such Secret; False where there was none."""
        return await self.door.delete(_named(SECRET, name, namespace))

    async def node(self, name: str) -> Node | None:
        """A Node, or None where there is none."""
        found = await self.door.get(_named(NODE, name))
        return None if found is None else decoded(node_of, found)

    async def nodes(self) -> tuple[Node, ...]:
        """Every Node."""
        return tuple(decoded(node_of, item) for item in await self._all(NODE))

    async def label_node(self, name: str, labels: Mapping[str, str | None]) -> None:
        """Have these labels on a Node, as its kubelet may not; those of no value are taken off."""
        await self.door.patch(_named(NODE, name), {"metadata": {"labels": dict(labels)}})

    async def set_unschedulable(
        self, name: str, *, unschedulable: bool, annotations: Mapping[str, str | None] | None = None
    ) -> None:
        """Let a Node take no new pods, or take them again, and write that down on it in the same change."""
        change: dict[str, Any] = {"spec": {"unschedulable": unschedulable or None}}
        if annotations:
            change["metadata"] = {"annotations": dict(annotations)}
        await self.door.patch(_named(NODE, name), change)

    async def delete_node(self, name: str) -> bool:
        """Have no such Node; False where there was none."""
        return await self.door.delete(_named(NODE, name))

    async def pods_on(self, node: str) -> tuple[Pod, ...]:
        """Every pod that is bound to a Node."""
        bound = Selection(fields={"spec.nodeName": node})
        return tuple(decoded(pod_of, item) for item in await self._all(POD, bound))

    async def evict(self, pod: Pod, *, grace_period_s: int | None = None) -> str:
        """Ask a pod to leave; empty where it goes or is gone, else what keeps it: its budget, its namespace."""
        try:
            name = _named(POD, pod.name, pod.namespace)
            await self.door.evict(name, grace_period_s=grace_period_s)
        except NotFound:
            return ""
        except Throttled as error:
            if not error.budget:
                raise
            return error.budget
        return ""

    async def daemon_sets(self) -> tuple[Mapping[str, Any], ...]:
        """Every DaemonSet, as JSON has it."""
        return await self._all(DAEMON_SET)

    async def approve(self, request: str, *, reason: str, judge: Judge) -> str:
        """Approve a CertificateSigningRequest, unless its judge says why not; that is returned.

        What is judged is what is approved: the request as it is read for this, in one version.
        """
        found = await self.door.get(_named(CERTIFICATE_REQUEST, request))
        if found is None:
            raise PermanentError(
                f"there is no CertificateSigningRequest {request}", subject=request
            )
        why_not = judge(decoded(request_sight, found))
        if why_not:
            return why_not
        approved = {
            "type": "Approved",
            "status": "True",
            "reason": "TransomApproved",
            "message": reason,
        }
        decided = [*((found.get("status") or {}).get("conditions") or ()), approved]
        await self.door.replace(
            {**found, "status": {"conditions": decided}}, subresource="approval"
        )
        return ""

    async def node_sight(self, name: str) -> NodeSight | None:
        """A Node as a diagnosis sees it, or None where there is none."""
        found = await self.door.get(_named(NODE, name))
        return None if found is None else decoded(node_sight, found)

    async def request_sights(self) -> tuple[CertificateRequestSight, ...]:
        """Every CertificateSigningRequest, with what became of it."""
        return tuple(decoded(request_sight, item) for item in await self._all(CERTIFICATE_REQUEST))

    async def bound_to(self, prefix: str) -> tuple[str, ...]:
        """The ClusterRoles with that beginning that some ClusterRoleBinding gives to somebody."""
        bindings = await self._all(ROLE_BINDING)
        roles = {decoded(_role, item) for item in bindings if item.get("subjects")}
        return tuple(sorted(role for role in roles if role.startswith(prefix)))

    async def service_sights(self) -> tuple[ServiceSight, ...]:
        """Every Service that kube-proxy serves on all nodes, with its ready endpoints."""
        return service_sights(await self._all(SERVICE), await self._all(ENDPOINT_SLICE))

    async def close(self) -> None:
        """End the connections."""
        await self.door.close()

    async def _all(
        self, resource: Resource, selection: Selection | None = None
    ) -> tuple[Manifest, ...]:
        return (await self.door.listed(resource, selection or Selection())).items


def _named(resource: Resource, name: str, namespace: str = "") -> ObjectName:
    return ObjectName(resource.api_version, resource.kind, namespace, name)


def _role(binding: Manifest) -> str:
    return str(binding["roleRef"]["name"])
