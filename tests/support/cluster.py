"""The cluster in memory with its objects as values: what tests of `fleet` say and look at."""

import base64
from collections.abc import Callable, Iterator, Mapping, MutableMapping, MutableSequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from ipaddress import ip_address
from typing import Any, Generic, TypeVar

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import AttributeOID, NameOID

from transom.kube.answers import Node, Pod, Secret, node_of, pod_of, secret_manifest
from transom.kube.api import Api
from transom.kube.sight import request_sight
from transom.model.manifest import Manifest, ObjectName, name_of
from transom.model.sight import CertificateRequestSight, NodeSight, RequestState, ServiceSight
from transom.testing.cluster import MemoryCluster
from transom.testing.fields import merged

K = TypeVar("K")
V = TypeVar("V")
Place = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A PodDisruptionBudget: of the pods with these labels so many must stay."""

    labels: Mapping[str, str]
    min_available: int


class Held(MutableMapping[K, V], Generic[K, V]):
    """The objects of a kind as values, by name or by namespace and name."""

    def __init__(
        self,
        cluster: MemoryCluster,
        kind: tuple[str, str],
        *,
        read: Callable[[Manifest], V],
        write: Callable[[K, V], dict[str, Any]],
        is_namespaced: bool = True,
    ) -> None:
        self._cluster = cluster
        self._kind = kind
        self._read = read
        self._write = write
        self._is_namespaced = is_namespaced

    def _name(self, key: Any) -> ObjectName:
        namespace, name = key if self._is_namespaced else ("", key)
        return ObjectName(*self._kind, namespace, name)

    def _objects(self) -> dict[K, Manifest]:
        return {self._key(name_of(item)): item for item in self._cluster.held(*self._kind)}

    def _key(self, name: ObjectName) -> Any:
        return (name.namespace, name.name) if self._is_namespaced else name.name

    def __getitem__(self, key: K) -> V:
        return self._read(self._objects()[key])

    def __setitem__(self, key: K, value: V) -> None:
        # What the value does not tell stays as it is.
        if key in self and self[key] == value:
            return
        name = self._name(key)
        place = {"name": name.name, **({"namespace": name.namespace} if name.namespace else {})}
        whole = {"apiVersion": name.api_version, "kind": name.kind, "metadata": place}
        self._cluster.put(merged(self._write(key, value), whole))
        if isinstance(value, Node):
            owner = value.cordoned_by if value.unschedulable else ""
            self._cluster.own(name, ("spec", "unschedulable"), owner)

    def __delitem__(self, key: K) -> None:
        if not self._cluster.remove(self._name(key)):
            raise KeyError(key)

    def __iter__(self) -> Iterator[K]:
        return iter(self._objects())

    def __len__(self) -> int:
        return len(self._objects())

    def become(self, values: Mapping[K, V]) -> None:
        """Be only these."""
        self.clear()
        self.update(values)


class Requests(MutableSequence[CertificateRequestSight]):
    """The certificate signing requests, in the order of their names."""

    def __init__(self, cluster: MemoryCluster) -> None:
        self._cluster = cluster

    def _objects(self) -> list[Manifest]:
        return self._cluster.held("certificates.k8s.io/v1", "CertificateSigningRequest")

    def __getitem__(self, index: Any) -> Any:
        return [request_sight(item) for item in self._objects()][index]

    def __setitem__(self, index: Any, value: Any) -> None:
        del self[index]
        self.insert(index, value)

    def __delitem__(self, index: Any) -> None:
        self._cluster.remove(name_of(self._objects()[index]))

    def __len__(self) -> int:
        return len(self._objects())

    def insert(self, index: int, value: CertificateRequestSight) -> None:
        del index
        self._cluster.put(request_manifest(value))


class MemoryApi(Api):
    """A cluster that is only these values."""

    door: MemoryCluster

    def __init__(
        self,
        server_version: str,
        *,
        context: str = "",
        config_maps: Mapping[Place, Mapping[str, str]] | None = None,
        secrets: Mapping[Place, Secret] | None = None,
        held_nodes: Mapping[str, Node] | None = None,
        clock: int = 0,
        seen_requests: Any = (),
        bound_roles: tuple[str, ...] = (),
        seen_services: tuple[ServiceSight, ...] = (),
        pods: Mapping[Place, Pod] | None = None,
        budgets: Mapping[Place, Budget] | None = None,
        held_daemon_sets: tuple[Mapping[str, Any], ...] = (),
    ) -> None:
        cluster = MemoryCluster(version=server_version, context=context)
        super().__init__(cluster)
        cluster.clock = clock
        self.held_nodes: Held[str, Node] = Held(
            cluster, ("v1", "Node"), read=node_of, write=_node, is_namespaced=False
        )
        self.secrets: Held[Place, Secret] = Held(
            cluster, ("v1", "Secret"), read=_secret, write=lambda _, v: dict(secret_manifest(v))
        )
        self.pods: Held[Place, Pod] = Held(cluster, ("v1", "Pod"), read=pod_of, write=_pod)
        self.budgets: Held[Place, Budget] = Held(
            cluster, ("policy/v1", "PodDisruptionBudget"), read=_read_budget, write=_budget
        )
        self._config_maps: Held[Place, Mapping[str, str]] = Held(
            cluster,
            ("v1", "ConfigMap"),
            read=lambda item: item.get("data") or {},
            write=lambda _, data: {"data": dict(data)},
        )
        self._config_maps.update(config_maps or {})
        self.secrets.update(secrets or {})
        self.held_nodes.update(held_nodes or {})
        self.pods.update(pods or {})
        self.budgets.update(budgets or {})
        self.seen_requests = seen_requests
        self.bound_roles = bound_roles
        self.held_daemon_sets = held_daemon_sets
        for service in seen_services:
            for manifest in service_manifests(service):
                cluster.put(manifest)

    @property
    def server_version(self) -> str:
        return self.door.server_version

    @server_version.setter
    def server_version(self, version: str) -> None:
        self.door.server_version = version

    @property
    def config_maps(self) -> Any:
        return self._config_maps

    @config_maps.setter
    def config_maps(self, values: Any) -> None:
        self._config_maps.become(values)

    @property
    def seen_requests(self) -> Any:
        return Requests(self.door)

    @seen_requests.setter
    def seen_requests(self, values: Any) -> None:
        found = Requests(self.door)
        found.clear()
        found.extend(values)

    @property
    def bound_roles(self) -> Any:
        bindings = self.door.held("rbac.authorization.k8s.io/v1", "ClusterRoleBinding")
        return tuple(item["roleRef"]["name"] for item in bindings)

    @bound_roles.setter
    def bound_roles(self, roles: Any) -> None:
        for role in roles:
            self.door.put(
                {
                    "apiVersion": "rbac.authorization.k8s.io/v1",
                    "kind": "ClusterRoleBinding",
                    "metadata": {"name": role},
                    "roleRef": {"kind": "ClusterRole", "name": role},
                    "subjects": [{"kind": "Group", "name": "somebody"}],
                }
            )

    @property
    def held_daemon_sets(self) -> Any:
        return tuple(self.door.held("apps/v1", "DaemonSet"))

    @held_daemon_sets.setter
    def held_daemon_sets(self, values: Any) -> None:
        for item in values:
            metadata = {"namespace": "default", **item["metadata"]}
            whole = {"apiVersion": "apps/v1", "kind": "DaemonSet"}
            self.door.put({**whole, **item, "metadata": metadata})

    def see(self, sight: NodeSight) -> None:
        """Have a Node as a diagnosis sees it."""
        found = next(
            item for item in self.door.held("v1", "Node") if item["metadata"]["name"] == sight.name
        )
        conditions = [
            {"type": c.type, "status": c.status, "reason": c.reason, "message": c.message}
            for c in sight.conditions
        ]
        info = {"kubeletVersion": sight.kubelet} if sight.kubelet else {}
        status = {"conditions": conditions, "nodeInfo": info}
        spec = {"podCIDRs": list(sight.pod_cidrs)}
        self.door.put(merged(found, {"status": status, "spec": spec}))


def _node(name: str, node: Node) -> dict[str, Any]:
    info = {
        "kubeletVersion": node.kubelet,
        "operatingSystem": node.system,
        "kernelVersion": node.kernel,
        "containerRuntimeVersion": node.runtime,
    }
    ready = {"type": "Ready", "status": str(node.ready), "message": node.problem}
    return {
        "metadata": {
            "name": name,
            "labels": dict(node.labels),
            "annotations": dict(node.annotations),
        },
        "spec": {"unschedulable": node.unschedulable, "taints": [_taint(t) for t in node.taints]},
        "status": {
            "conditions": [ready],
            "nodeInfo": info,
            "addresses": [{"type": "InternalIP", "address": item} for item in node.addresses],
        },
    }


def _taint(text: str) -> dict[str, str]:
    said, _, effect = text.rpartition(":")
    key, _, value = said.partition("=")
    return {"key": key, "effect": effect, **({"value": value} if value else {})}


def _pod(_key: Any, pod: Pod) -> dict[str, Any]:
    leaving = {"deletionTimestamp": "2026-01-01T00:00:00Z"} if pod.is_leaving else {}
    owners = [{"kind": pod.controller, "name": "owner", "controller": True}]
    return {
        "metadata": {
            "labels": dict(pod.labels),
            "annotations": {"kubernetes.io/config.mirror": "x"} if pod.is_mirror else {},
            "ownerReferences": owners if pod.controller else [],
            **leaving,
        },
        "spec": {
            "nodeName": pod.node,
            "volumes": [{"name": "a", "emptyDir": {}}] if pod.has_empty_dir else [],
        },
        "status": {"phase": "Succeeded" if pod.is_finished else "Running"},
    }


def _secret(found: Manifest) -> Secret:
    data = {key: base64.b64decode(text).decode() for key, text in (found["data"] or {}).items()}
    place = found["metadata"]
    return Secret(namespace=place["namespace"], name=place["name"], type=found["type"], data=data)


def _budget(_key: Any, budget: Budget) -> dict[str, Any]:
    selector = {"matchLabels": dict(budget.labels)}
    return {"spec": {"minAvailable": budget.min_available, "selector": selector}}


def _read_budget(found: Manifest) -> Budget:
    spec = found["spec"]
    return Budget(labels=spec["selector"]["matchLabels"], min_available=spec["minAvailable"])


def service_manifests(service: ServiceSight) -> tuple[Manifest, ...]:
    """A Service and the slice of its ready endpoints."""
    place = {"namespace": service.namespace, "name": service.name}
    made = {"creationTimestamp": time_text(service.created)} if service.created else {}
    return (
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {**place, **made},
            "spec": {"clusterIPs": list(service.addresses)},
        },
        {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {**place, "labels": {"kubernetes.io/service-name": service.name}},
            "endpoints": [{"addresses": [item]} for item in service.backends],
        },
    )


def request_manifest(sight: CertificateRequestSight) -> Manifest:
    """A request that is seen so; an unreadable one has an attribute besides its names."""
    condition = {"type": sight.state.value.capitalize(), "status": "True", "message": sight.message}
    asked = _asked(sight.subject, sight.names, is_readable=not sight.unreadable)
    return {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": sight.name, "creationTimestamp": time_text(sight.created)},
        "spec": {
            "request": base64.b64encode(asked).decode(),
            "signerName": sight.signer,
            "username": sight.username,
            "usages": list(sight.usages),
        },
        "status": {"conditions": [condition] if sight.state is not RequestState.PENDING else []},
    }


def time_text(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@cache
def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


@cache
def _asked(subject: str, names: tuple[str, ...], *, is_readable: bool) -> bytes:
    builder = x509.CertificateSigningRequestBuilder().subject_name(
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)])
    )
    if names:
        alternative = x509.SubjectAlternativeName([_name(name) for name in names])
        builder = builder.add_extension(alternative, critical=False)
    if not is_readable:
        builder = builder.add_attribute(AttributeOID.CHALLENGE_PASSWORD, b"odd")
    return builder.sign(_key(), SHA256()).public_bytes(Encoding.PEM)


def _name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)
