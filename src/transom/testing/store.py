"""What a cluster in memory holds: objects with their versions, who owns their fields, and a log of changes."""

import asyncio
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from transom.kube.door import Change, Event, Resource
from transom.model import records
from transom.model.manifest import Manifest, ObjectName, name_of
from transom.testing.fields import Fields, leaves

_OTHERS = "others"
_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
_CLUSTER_WIDE = frozenset(
    {
        *("Namespace", "Node", "PersistentVolume", "RuntimeClass", "ClusterRole"),
        *("ClusterRoleBinding", "CertificateSigningRequest", "CustomResourceDefinition"),
    }
)


@dataclass
class Held:
    """An object and the owners of its fields."""

    object: dict[str, Any]
    fields: Fields = field(default_factory=Fields)


@records.dataclass(frozen=True)
class Logged:
    """A change, with the version it made."""

    number: int
    event: Event
    name: ObjectName


def resource_of(api_version: str, kind: str) -> Resource:
    """How a server would offer a kind of which only the name is known."""
    return Resource(kind, api_version, f"{kind.lower()}s", kind not in _CLUSTER_WIDE)


def place_of(name: ObjectName) -> dict[str, str]:
    """What names an object in its metadata."""
    space = {"namespace": name.namespace} if name.namespace else {}
    return {"name": name.name, **space}


class Store:
    """The objects; what a test or a demonstration does here happens behind the server's back."""

    def __init__(self, given: Iterable[Manifest], served: Iterable[Resource]) -> None:
        self._served = {(item.api_version, item.kind): item for item in served}
        self._held: dict[ObjectName, Held] = {}
        self._log: list[Logged] = []
        self._number = 0
        self._oldest = 0
        self._changed = asyncio.Event()
        for name in _NAMESPACES:
            self.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        for manifest in given:
            self.put(manifest)

    def put(self, manifest: Manifest) -> Manifest:
        """Have an object so, whatever was there, as another manager."""
        name = name_of(manifest)
        key = name.api_version, name.kind
        self._served.setdefault(key, resource_of(*key))
        held = self._held.get(name)
        fields = Fields() if held is None else held.fields
        return self._store(name, dict(deepcopy(manifest)), _OTHERS, fields)

    def own(self, name: ObjectName, field: tuple[str, ...], manager: str) -> None:
        """Have it written down that a manager set a field; empty where nobody wrote it down."""
        held = self._held[name]
        held.fields.own(field, manager)
        held.object["metadata"]["managedFields"] = held.fields.managed()

    def observe(self, name: ObjectName, status: Mapping[str, Any]) -> None:
        """Let a controller write the status of an object."""
        held = self._held.get(name)
        bare = {"apiVersion": name.api_version, "kind": name.kind, "metadata": place_of(name)}
        self.put({**(bare if held is None else held.object), "status": dict(status)})

    def remove(self, name: ObjectName) -> bool:
        """Have no such object."""
        held = self._held.pop(name, None)
        if held is not None:
            last = deepcopy(held.object)
            last["metadata"]["resourceVersion"] = self._next()
            self._record(Change.DELETED, name, last)
        return held is not None

    def held(self, api_version: str, kind: str) -> list[Manifest]:
        """The objects of a kind, in the order of a list."""
        return [
            deepcopy(self._held[name].object)
            for name in sorted(self._held)
            if name[:2] == (api_version, kind)
        ]

    def compact(self) -> None:
        """Forget every version but the present one."""
        self._oldest = self._number
        self._log.clear()

    def _store(
        self,
        name: ObjectName,
        after: dict[str, Any],
        manager: str,
        fields: Fields,
        *,
        is_applied: bool = False,
    ) -> Manifest:
        held = self._held.get(name)
        before = {} if held is None else held.object
        if not is_applied:
            fields.written(manager, before, after)
        if before and dict(leaves(before)) == dict(leaves(after)):
            self._held[name] = Held(before, fields)
            return deepcopy(before)
        kept = self._stamped({**after, "apiVersion": name.api_version, "kind": name.kind}, before)
        kept["metadata"]["managedFields"] = fields.managed()
        self._held[name] = Held(kept, fields)
        self._record(Change.MODIFIED if before else Change.ADDED, name, kept)
        return deepcopy(kept)

    def _stamped(
        self, after: dict[str, Any], before: Mapping[str, Any], *, keep: bool = False
    ) -> dict[str, Any]:
        """The object with what only the server writes."""
        was = before.get("metadata") or {}
        number = str(self._number) if keep else self._next()
        unchanged = bool(before) and dict(leaves(before)) == dict(leaves(after))
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        given = after["metadata"]
        stamps = {
            "uid": was.get("uid") or given.get("uid") or f"uid-{number}",
            "creationTimestamp": was.get("creationTimestamp")
            or given.get("creationTimestamp")
            or now,
            "resourceVersion": was["resourceVersion"] if unchanged else number,
        }
        return {**after, "metadata": {**given, **stamps}}

    def _next(self) -> str:
        self._number += 1
        return str(self._number)

    def _record(self, change: Change, name: ObjectName, found: Manifest) -> None:
        self._log.append(Logged(self._number, Event(change, deepcopy(found)), name))
        # Wake those who watch now; who begins later reads the log first.
        self._changed.set()
        self._changed = asyncio.Event()
