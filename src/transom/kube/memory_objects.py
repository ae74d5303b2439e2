"""The twin of `objects` in memory: the same answers without a server, as far as Transom asks."""

from collections.abc import Mapping
from typing import Any

from transom.errors import PermanentError
from transom.kube.objects import CONFLICT, not_served
from transom.model.manifest import Manifest, ObjectName, name_of

_SERVED = frozenset(
    {
        "v1 ConfigMap",
        "v1 Namespace",
        "v1 Node",
        "v1 ServiceAccount",
        "apps/v1 DaemonSet",
        "node.k8s.io/v1 RuntimeClass",
        "rbac.authorization.k8s.io/v1 ClusterRole",
        "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
    }
)


class MemoryObjects:
    """A cluster that is only these objects; those given at first are somebody else's."""

    def __init__(
        self, held: tuple[Manifest, ...] = (), *, served: frozenset[str] = _SERVED
    ) -> None:
        self._served = served
        self._others = {name_of(item): item for item in held}
        self._ours: dict[ObjectName, Manifest] = {}
        self._versions = dict.fromkeys(self._others, 1)
        self.writes = 0

    async def serves(self, api_version: str, kind: str) -> bool:
        """Look at what it was told to know."""
        return f"{api_version} {kind}" in self._served

    async def get(self, name: ObjectName) -> Manifest | None:
        """Put together what is ours and what is not."""
        if name not in self._others and name not in self._ours:
            return None
        return self._shown(name, self._ours.get(name, {}), self._versions[name])

    async def list(
        self, api_version: str, kind: str, *, labels: Mapping[str, str] | None = None
    ) -> tuple[Manifest, ...]:
        """Look through all."""
        wanted = (labels or {}).items()
        names = sorted({*self._others, *self._ours})
        found = [await self.get(name) for name in names if name[:2] == (api_version, kind)]
        return tuple(
            item
            for item in found
            if item is not None and wanted <= (item["metadata"].get("labels") or {}).items()
        )

    async def apply(
        self, manifest: Manifest, *, dry_run: bool = False, force: bool = False
    ) -> Manifest:
        """Keep what we say beside what others said."""
        name = name_of(manifest)
        if not await self.serves(name.api_version, name.kind):
            raise not_served(name)
        space = ObjectName("v1", "Namespace", "", name.namespace)
        if name.namespace and await self.get(space) is None:
            raise PermanentError(f'cannot apply {name}: namespaces "{name.namespace}" not found')
        disputed = sorted(_disputed(manifest, self._others.get(name, {})))
        if disputed and not force:
            raise PermanentError(
                f"cannot apply {name}: {CONFLICT} {len(disputed)} conflict: {', '.join(disputed)}"
            )
        before = await self.get(name)
        version = self._versions.get(name, 0)
        same = before is not None and self._shown(name, manifest, version) == before
        after = self._shown(name, manifest, version if same else version + 1)
        if not dry_run and not same:
            self._ours[name] = manifest
            self._versions[name] = version + 1
            self.writes += 1
        return after

    async def delete(self, name: ObjectName) -> bool:
        """Forget it."""
        there = await self.get(name) is not None
        self._ours.pop(name, None)
        self._others.pop(name, None)
        if there:
            self.writes += 1
        return there

    def observe(self, name: ObjectName, status: Mapping[str, Any]) -> None:
        """Let a controller write the status of an object."""
        base = self._others.get(name) or {"metadata": {"name": name.name}}
        self._others[name] = {**base, "status": status}
        self._versions[name] = self._versions.get(name, 0) + 1

    def _shown(self, name: ObjectName, ours: Manifest, version: int) -> Manifest:
        merged: dict[str, Any] = _merged(self._others.get(name, {}), ours)
        place = {"namespace": name.namespace} if name.namespace else {}
        metadata = {**merged.get("metadata", {}), "name": name.name, **place}
        metadata |= {"resourceVersion": str(version)}
        return {
            "apiVersion": name.api_version,
            "kind": name.kind,
            **merged,
            "metadata": metadata,
        }


def _merged(theirs: Any, ours: Any) -> Any:
    if not isinstance(theirs, Mapping) or not isinstance(ours, Mapping):
        return ours
    both = {key: _merged(theirs[key], ours[key]) for key in theirs if key in ours}
    return {**theirs, **ours, **both}


def _disputed(ours: Any, theirs: Any, path: str = "") -> list[str]:
    """The fields that both say, differently."""
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        shared = [key for key in ours if key in theirs]
        return [
            found for key in shared for found in _disputed(ours[key], theirs[key], f"{path}.{key}")
        ]
    return [] if ours == theirs else [path]
