"""A cluster in memory: the twin of `kube.client`, with its answers, refusals and watches, and no server.

One contract suite holds both to the same promises. What it does not do: admission, defaulting, controllers,
owner references, finalizers; a list of pages shows each page as it is then.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from copy import deepcopy
from typing import Any

from transom.errors import PermanentError, UnsupportedError
from transom.kube.door import (
    ALL,
    BACKGROUND,
    FIELD_MANAGER,
    KNOWN,
    Change,
    Deletion,
    Door,
    Event,
    Executed,
    Page,
    Patch,
    Resource,
    Selection,
    Tunnel,
    not_served,
)
from transom.kube.errors import (
    AlreadyExists,
    Conflict,
    Expired,
    FieldConflict,
    Forbidden,
    Invalid,
    NotFound,
    OwnedField,
    Throttled,
)
from transom.model.manifest import Manifest, ObjectName, name_of
from transom.testing.fields import Fields, get, merged
from transom.testing.json_patch import patched
from transom.testing.store import Held, Store, place_of

SERVED = (
    *KNOWN.values(),
    Resource("Namespace", "v1", "namespaces", namespaced=False),
    Resource("Event", "v1", "events", namespaced=True),
    Resource("ServiceAccount", "v1", "serviceaccounts", namespaced=True),
    Resource("PodDisruptionBudget", "policy/v1", "poddisruptionbudgets", namespaced=True),
    Resource("RuntimeClass", "node.k8s.io/v1", "runtimeclasses", namespaced=False),
    Resource("ClusterRole", "rbac.authorization.k8s.io/v1", "clusterroles", namespaced=False),
)
_STATUS = "status"


class MemoryCluster(Store, Door):
    """A cluster that is only these objects; those it is given are another manager's.

    `served` are the kinds it knows, by default a few and those it is given; reading the kinds in
    `forbidden` is refused. `programs` answers what is executed in pods, `outputs` has their logs, `ports`
    what listens in them, `kubelets` what a Node's kubelet answers at a path.
    """

    def __init__(
        self,
        given: Iterable[Manifest] = (),
        *,
        version: str = "0.0.0",
        served: Iterable[Resource] = SERVED,
        forbidden: Iterable[str] = (),
        context: str = "",
    ) -> None:
        self.server = "memory"
        self.context = context
        self.server_version = version
        self.clock: int | None = None
        self.forbidden = frozenset(forbidden)
        self.programs: Callable[[ObjectName, Sequence[str], bytes], Executed] | None = None
        self.outputs: dict[tuple[str, str], bytes] = {}
        self.ports: dict[tuple[str, int], AbstractAsyncContextManager[Tunnel]] = {}
        self.kubelets: dict[tuple[str, str], bytes] = {}
        self.writes = 0
        super().__init__(given, served)

    async def version(self) -> str:
        """What it was told to run."""
        return self.server_version

    async def time(self) -> int:
        """What it was told, or this machine's."""
        return int(time.time()) if self.clock is None else self.clock

    async def resource(self, api_version: str, kind: str) -> Resource | None:
        """Look at what it knows."""
        return self._served.get((api_version, kind))

    async def resources(self, kinds: Iterable[str]) -> tuple[Resource, ...]:
        """Look at what it knows."""
        known = {item.kind: item for item in reversed(self._served.values())}
        return tuple(known[kind] for kind in dict.fromkeys(kinds) if kind in known)

    async def get(self, name: ObjectName) -> Manifest | None:
        """Look it up."""
        self._may(name.kind, "read", str(name))
        held = self._held.get(name)
        return None if held is None else deepcopy(held.object)

    async def page(
        self, resource: Resource, selection: Selection = ALL, *, limit: int, following: str = ""
    ) -> Page:
        """Look through all, from where the last page ended."""
        self._may(resource.kind, "list", resource.plural)
        number, last = json.loads(following) if following else (self._number, [])
        if number < self._oldest:
            raise Expired(
                f"cannot list {resource.plural}: The provided continue parameter is too old",
                subject=self.server,
                following=json.dumps([self._number, last]),
            )
        kind = resource.api_version, resource.kind
        names = [name for name in sorted(self._held) if name[:2] == kind and list(name[2:]) > last]
        found = [name for name in names if _selects(selection, self._held[name].object)]
        items = tuple(deepcopy(self._held[name].object) for name in found[:limit])
        rest = json.dumps([number, found[limit - 1][2:]]) if len(found) > limit else ""
        return Page(items, str(number), rest)

    async def watch(
        self, resource: Resource, since: str, selection: Selection = ALL, *, deadline_s: float = 300
    ) -> AsyncGenerator[Event, None]:
        """Tell what was logged, then what is logged from now on; the last is a bookmark."""
        self._may(resource.kind, "watch", resource.plural)
        seen, end = int(since), time.monotonic() + deadline_s
        kind = resource.api_version, resource.kind
        while True:
            if seen < self._oldest:
                raise Expired(
                    f"cannot watch {resource.plural}: too old resource version: {since}",
                    subject=self.server,
                )
            for logged in [item for item in self._log if item.number > seen]:
                seen = logged.number
                if logged.name[:2] == kind and _selects(selection, logged.event.object):
                    yield Event(logged.event.change, deepcopy(logged.event.object))
            if self._log and self._log[-1].number > seen:
                continue  # logged while the last event was looked at
            try:
                async with asyncio.timeout(max(0.0, end - time.monotonic())):
                    await self._changed.wait()
            except TimeoutError:
                bookmark = {"metadata": {"resourceVersion": str(self._number)}}
                yield Event(Change.BOOKMARK, {**bookmark, "kind": resource.kind})
                return

    async def create(self, manifest: Manifest) -> Manifest:
        """Keep it, unless there is one of that name."""
        name = self._known(manifest)
        if name in self._held:
            raise AlreadyExists(f'cannot create {name}: "{name.name}" already exists')
        self._in_namespace(name, "create")
        return self._written(name, _without_status(manifest), FIELD_MANAGER, Fields())

    async def replace(self, manifest: Manifest, *, subresource: str = "") -> Manifest:
        """Keep it in the place of the other."""
        name = self._known(manifest)
        held = self._there(name, "change")
        self._in_version(held, manifest, name)
        kept = _part_of(subresource, held.object, dict(manifest))
        return self._written(name, kept, FIELD_MANAGER, held.fields)

    async def patch(
        self,
        name: ObjectName,
        change: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        patch: Patch = Patch.MERGE,
        subresource: str = "",
    ) -> Manifest:
        """Change it; of lists a strategic patch merges only conditions here, by their type."""
        held = self._there(name, "change")
        if patch is Patch.JSON:
            assert not isinstance(change, Mapping)
            try:
                after = patched(held.object, change)
            except (KeyError, IndexError, ValueError) as error:
                raise Invalid(f"cannot change {name}: {error}") from error
        else:
            assert isinstance(change, Mapping)
            self._in_version(held, change, name)
            if patch is Patch.STRATEGIC:
                change = _with_conditions(held.object, change)
            after = merged(held.object, change)
        kept = _part_of(subresource, held.object, after)
        return self._written(name, kept, FIELD_MANAGER, held.fields)

    async def apply(
        self,
        manifest: Manifest,
        *,
        dry_run: bool = False,
        force: bool = False,
        manager: str = FIELD_MANAGER,
        subresource: str = "",
    ) -> Manifest:
        """Keep what this manager says beside what others said."""
        name = self._known(manifest)
        self._in_namespace(name, "apply")
        held = self._held.get(name) or Held({})
        said = manifest if subresource == _STATUS else _without_status(manifest)
        disputed = held.fields.disputed(manager, said, held.object)
        if disputed and not force:
            raise _field_conflict(name, disputed)
        fields = held.fields.copy()
        bare = {"apiVersion": name.api_version, "kind": name.kind, "metadata": place_of(name)}
        after = fields.applied(manager, said, held.object or bare)
        if dry_run:
            return self._stamped(after, held.object, keep=True)
        return self._written(name, after, manager, fields, is_applied=True)

    async def delete(self, name: ObjectName, how: Deletion = BACKGROUND) -> bool:
        """Forget it."""
        held = self._held.get(name)
        if held is None:
            return False
        metadata = held.object["metadata"]
        wanted = (how.uid, metadata["uid"]), (how.version, metadata["resourceVersion"])
        if any(asked and asked != found for asked, found in wanted):
            raise Conflict(f"cannot delete {name}: the precondition failed", subject=str(name))
        self.writes += 1
        return self.remove(name)

    async def evict(self, name: ObjectName, *, grace_period_s: int | None = None) -> None:
        """Have it gone at once, unless a budget needs it."""
        del grace_period_s
        pod = self._there(name, "evict").object
        for budget in self.held("policy/v1", "PodDisruptionBudget"):
            labels = budget["spec"]["selector"]["matchLabels"]
            space = Selection(namespace=budget["metadata"]["namespace"], labels=labels)
            if not _selects(space, pod):
                continue
            least = int(budget["spec"]["minAvailable"])
            healthy = sum(
                _selects(space, item) and not _is_finished(item) for item in self.held("v1", "Pod")
            )
            if healthy <= least:
                said = (
                    f"The disruption budget {budget['metadata']['name']} needs {least} healthy pods "
                    f"and has {healthy} currently"
                )
                raise Throttled(f"cannot evict {name}: {said}", budget=said)
        self.writes += 1
        self.remove(name)

    async def logs(self, pod: ObjectName, *, container: str = "", tail: int | None = None) -> bytes:
        """What it was told that the pod wrote."""
        del container
        self._there(pod, "read the log of")
        lines = self.outputs.get((pod.namespace, pod.name), b"").splitlines(keepends=True)
        return b"".join(lines if tail is None else lines[max(0, len(lines) - tail) :])

    async def execute(
        self,
        pod: ObjectName,
        command: Sequence[str],
        *,
        container: str = "",
        stdin: bytes = b"",
        deadline_s: float = 60,
    ) -> Executed:
        """Have the given function answer."""
        del container, deadline_s
        self._there(pod, f"run {command[0]} in")
        if self.programs is None:
            raise UnsupportedError(f"cannot run {command[0]} in {pod}: no program runs here")
        return self.programs(pod, command, stdin)

    def forward(self, pod: ObjectName, port: int) -> AbstractAsyncContextManager[Tunnel]:
        """Give the tunnel that was put there."""
        found = self.ports.get((pod.name, port))
        if found is None:
            raise PermanentError(f"cannot reach port {port} of {pod}: connection refused")
        return found

    async def ask_kubelet(self, node: str, path: str) -> bytes:
        """What it was told that the kubelet answers."""
        self._there(ObjectName("v1", "Node", "", node), f"read {path} of")
        if (node, path) not in self.kubelets:
            raise NotFound(f"cannot read {path} of Node {node}: 404 page not found", subject=node)
        return self.kubelets[node, path]

    async def close(self) -> None:
        """Nothing is open."""

    def _written(
        self,
        name: ObjectName,
        after: dict[str, Any],
        manager: str,
        fields: Fields,
        *,
        is_applied: bool = False,
    ) -> Manifest:
        before = self._number
        found = self._store(name, after, manager, fields, is_applied=is_applied)
        self.writes += self._number != before
        return found

    def _known(self, manifest: Manifest) -> ObjectName:
        name = name_of(manifest)
        if (name.api_version, name.kind) not in self._served:
            raise not_served(name)
        return name

    def _there(self, name: ObjectName, act: str) -> Held:
        if (name.api_version, name.kind) not in self._served:
            raise not_served(name)
        if name not in self._held:
            raise NotFound(f'cannot {act} {name}: "{name.name}" not found', subject=str(name))
        return self._held[name]

    def _in_namespace(self, name: ObjectName, act: str) -> None:
        space = ObjectName("v1", "Namespace", "", name.namespace)
        if name.namespace and space not in self._held:
            raise NotFound(f'cannot {act} {name}: namespaces "{name.namespace}" not found')

    def _in_version(self, held: Held, change: Mapping[str, Any], name: ObjectName) -> None:
        asked = get(change, ("metadata", "resourceVersion"))
        if asked and asked != held.object["metadata"]["resourceVersion"]:
            raise Conflict(
                f"cannot change {name}: the object has been modified; please apply your changes to "
                "the latest version and try again",
                subject=str(name),
            )

    def _may(self, kind: str, act: str, subject: str) -> None:
        if kind in self.forbidden:
            raise Forbidden(f"cannot {act} {subject}: forbidden", subject=self.server)


def _selects(selection: Selection, found: Manifest) -> bool:
    metadata = found["metadata"]
    return (
        (not selection.namespace or metadata.get("namespace", "") in ("", selection.namespace))
        and selection.labels.items() <= (metadata.get("labels") or {}).items()
        and all(
            (get(found, tuple(path.split("."))) or "") == value
            for path, value in selection.fields.items()
        )
    )


def _with_conditions(before: Manifest, change: Mapping[str, Any]) -> Mapping[str, Any]:
    """The change with the conditions that it does not name as they were."""
    path = ("status", "conditions")
    named = get(change, path)
    if not isinstance(named, list):
        return change
    types = {item["type"] for item in named}
    kept = [item for item in get(before, path) or () if item["type"] not in types]
    return {**change, "status": {**change["status"], "conditions": [*kept, *named]}}


def _is_finished(pod: Manifest) -> bool:
    return get(pod, ("status", "phase")) in ("Succeeded", "Failed")


def _without_status(manifest: Mapping[str, Any]) -> dict[str, Any]:
    return {key: deepcopy(value) for key, value in manifest.items() if key != _STATUS}


def _part_of(subresource: str, before: Mapping[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """What a write to a subresource changes: status and approval only the status, the object all else."""
    if subresource:
        return {**before, **({_STATUS: after[_STATUS]} if _STATUS in after else {})}
    kept = {_STATUS: before[_STATUS]} if _STATUS in before else {}
    return {**_without_status(after), **kept}


def _field_conflict(name: ObjectName, disputed: Mapping[tuple[str, ...], str]) -> FieldConflict:
    fields = [OwnedField(owner, f".{'.'.join(path)}") for path, owner in disputed.items()]
    count = f"{len(fields)} conflict{'s' if len(fields) > 1 else ''}"
    said = ", ".join(f'conflict with "{item.manager}": {item.field}' for item in fields)
    return FieldConflict(
        f"cannot apply {name}: Apply failed with {count}: {said}", fields=fields, subject=str(name)
    )
