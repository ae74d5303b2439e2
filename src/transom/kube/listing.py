"""What a cluster holds, kind by kind and page by page, as JSON has it; and the twin for tests.

For commands that look at whatever is there, such as `transom lint --cluster`. Reads only. Which
version of a kind a server offers is asked of it.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from transom.errors import PermanentError
from transom.kube.client import KubeApi

# Objects per answer: a large cluster is never held in memory at once.
_PAGE = 250
# Looked through first, so that a kind of Kubernetes wins over one of the same name of an operator.
_OWN_GROUPS = ("apps", "batch", "networking.k8s.io", "autoscaling", "node.k8s.io")


class Resource(NamedTuple):
    """Where a server offers the objects of a kind."""

    kind: str
    api_version: str
    plural: str
    namespaced: bool


class Lister(Protocol):
    """The objects of a cluster."""

    async def version(self) -> str:
        """What the API server runs, without a leading v."""
        ...

    async def resources(self, kinds: Iterable[str]) -> list[Resource]:
        """Where the server offers these kinds; those it does not know are left out."""
        ...

    def objects(
        self, resource: Resource, *, namespace: str = ""
    ) -> AsyncIterator[Mapping[str, Any]]:
        """The objects of a kind, in one namespace or in all."""
        ...

    async def close(self) -> None:
        """End the connections."""
        ...


class KubeLister:
    """The objects of a real cluster."""

    def __init__(self, api: KubeApi) -> None:
        self._api = api

    async def version(self) -> str:
        """Ask /version."""
        return await self._api.version()

    async def resources(self, kinds: Iterable[str]) -> list[Resource]:
        """Ask group by group until all are found."""
        wanted = dict.fromkeys(kinds)
        found: dict[str, Resource] = {}
        for version in await self._versions():
            if found.keys() == wanted.keys():
                break
            answer = await self._api.fetch(_base(version), subject=f"the kinds of {version}")
            for item in (answer or {}).get("resources", ()):
                kind, plural = item["kind"], item["name"]
                if kind in wanted and kind not in found and "/" not in plural:
                    found[kind] = Resource(kind, version, plural, bool(item["namespaced"]))
        return [found[kind] for kind in wanted if kind in found]

    async def objects(
        self, resource: Resource, *, namespace: str = ""
    ) -> AsyncIterator[Mapping[str, Any]]:
        """Ask page by page."""
        inside = f"/namespaces/{namespace}" if namespace and resource.namespaced else ""
        path = f"{_base(resource.api_version)}{inside}/{resource.plural}"
        params = {"limit": str(_PAGE)}
        while True:
            answer = await self._api.fetch(path, subject=resource.plural, params=params) or {}
            for item in answer.get("items") or ():
                yield {**item, "apiVersion": resource.api_version, "kind": resource.kind}
            following = (answer.get("metadata") or {}).get("continue")
            if not following:
                return
            params["continue"] = following

    async def close(self) -> None:
        """Close idle connections."""
        await self._api.close()

    async def _versions(self) -> list[str]:
        answer = await self._api.fetch("/apis", subject="the API groups") or {}
        preferred = {
            group["name"]: str(group["preferredVersion"]["groupVersion"])
            for group in answer.get("groups") or ()
        }
        own = [preferred.pop(name) for name in _OWN_GROUPS if name in preferred]
        return ["v1", *own, *preferred.values()]


_CLUSTER_WIDE = frozenset({"Node", "Namespace", "PersistentVolume", "RuntimeClass"})


class MemoryLister:
    """A cluster that is only these objects; kinds in `forbidden` are refused."""

    def __init__(
        self,
        server_version: str,
        held: Sequence[Mapping[str, Any]] = (),
        *,
        forbidden: frozenset[str] = frozenset(),
    ) -> None:
        self._version = server_version
        self._held = held
        self._forbidden = forbidden

    async def version(self) -> str:
        """What it was told to run."""
        return self._version

    async def resources(self, kinds: Iterable[str]) -> list[Resource]:
        """Those of which it holds an object, or refuses to show any."""
        versions = dict.fromkeys(self._forbidden, "v1")
        versions |= {str(item["kind"]): str(item["apiVersion"]) for item in self._held}
        return [
            Resource(kind, versions[kind], f"{kind.lower()}s", kind not in _CLUSTER_WIDE)
            for kind in kinds
            if kind in versions
        ]

    async def objects(
        self, resource: Resource, *, namespace: str = ""
    ) -> AsyncIterator[Mapping[str, Any]]:
        """Look through all."""
        if resource.kind in self._forbidden:
            raise PermanentError(f"cannot read {resource.plural}: forbidden")
        for item in self._held:
            place = item["metadata"].get("namespace", "")
            if item["kind"] == resource.kind and (not namespace or place in ("", namespace)):
                yield item

    async def close(self) -> None:
        """Nothing is open."""


def _base(version: str) -> str:
    return f"/apis/{version}" if "/" in version else f"/api/{version}"
