"""Objects of any kind in a cluster, as JSON has them: read, applied and deleted by their name.

Applying is the server's own (server-side apply) under the field manager `transom`: what others own
in an object stays theirs. Called by `fleet`; `memory_objects` is its twin for tests, held to the same contract.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from transom.errors import PermanentError
from transom.model.manifest import Manifest, ObjectName, name_of

if TYPE_CHECKING:
    from transom.kube.client import KubeApi

FIELD_MANAGER = "transom"
CONFLICT = "Apply failed with"
# Objects per answer, so that no answer is large.
_PAGE = 250


class Objects(Protocol):
    """The objects of a cluster."""

    async def serves(self, api_version: str, kind: str) -> bool:
        """Whether the server knows this kind."""
        ...

    async def get(self, name: ObjectName) -> Manifest | None:
        """An object, or None where there is none."""
        ...

    async def list(
        self, api_version: str, kind: str, *, labels: Mapping[str, str] | None = None
    ) -> tuple[Manifest, ...]:
        """The objects of a kind in all namespaces; none where the server does not know it."""
        ...

    async def apply(
        self, manifest: Manifest, *, dry_run: bool = False, force: bool = False
    ) -> Manifest:
        """Have the fields of the manifest so; `force` takes them from others who own them."""
        ...

    async def delete(self, name: ObjectName) -> bool:
        """Have no such object; False where there was none."""
        ...


class KubeObjects:
    """The objects of a real cluster; see `Objects`."""

    def __init__(self, api: "KubeApi") -> None:
        self._api = api
        self._kinds: dict[str, dict[str, tuple[str, bool]]] = {}

    async def serves(self, api_version: str, kind: str) -> bool:
        """Ask what the version offers."""
        return await self._resource(api_version, kind) is not None

    async def get(self, name: ObjectName) -> Manifest | None:
        """Read it."""
        path = await self._path(name)
        return None if path is None else await self._api.fetch(path, subject=str(name))

    async def list(
        self, api_version: str, kind: str, *, labels: Mapping[str, str] | None = None
    ) -> tuple[Manifest, ...]:
        """Read page by page."""
        resource = await self._resource(api_version, kind)
        if resource is None:
            return ()
        params = {"limit": str(_PAGE)}
        if labels:
            params["labelSelector"] = ",".join(f"{key}={value}" for key, value in labels.items())
        found: list[Manifest] = []
        while True:
            path = f"{_base(api_version)}/{resource[0]}"
            answer = await self._api.fetch(path, subject=f"{kind} objects", params=params) or {}
            items = answer.get("items") or ()
            found += ({**item, "apiVersion": api_version, "kind": kind} for item in items)
            following = (answer.get("metadata") or {}).get("continue")
            if not following:
                return tuple(found)
            params["continue"] = following

    async def apply(
        self, manifest: Manifest, *, dry_run: bool = False, force: bool = False
    ) -> Manifest:
        """Send it whole; the server merges."""
        name = name_of(manifest)
        path = await self._path(name)
        if path is None:
            raise not_served(name)
        params = {"fieldManager": FIELD_MANAGER, "force": str(force).lower()}
        if dry_run:
            params["dryRun"] = "All"
        return await self._api.send(
            "PATCH",
            path,
            act="apply",
            subject=str(name),
            params=params,
            body=manifest,
            media_type="application/apply-patch+yaml",
        )

    async def delete(self, name: ObjectName) -> bool:
        """Delete it, and what it owns after it."""
        path = await self._path(name)
        if path is None or await self._api.fetch(path, subject=str(name)) is None:
            return False
        body = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
        await self._api.send("DELETE", path, act="delete", subject=str(name), body=body)
        return True

    async def _path(self, name: ObjectName) -> str | None:
        resource = await self._resource(name.api_version, name.kind)
        if resource is None:
            return None
        plural, namespaced = resource
        inside = f"/namespaces/{name.namespace}" if namespaced else ""
        return f"{_base(name.api_version)}{inside}/{plural}/{name.name}"

    async def _resource(self, api_version: str, kind: str) -> tuple[str, bool] | None:
        if api_version not in self._kinds:
            subject = f"the kinds of {api_version}"
            answer: Mapping[str, Any] = (
                await self._api.fetch(_base(api_version), subject=subject) or {}
            )
            self._kinds[api_version] = {
                item["kind"]: (item["name"], bool(item["namespaced"]))
                for item in answer.get("resources") or ()
                if "/" not in item["name"]
            }
        return self._kinds[api_version].get(kind)


def not_served(name: ObjectName) -> PermanentError:
    """The error of a kind that the server does not know."""
    return PermanentError(
        f"the cluster has no kind {name.kind} of {name.api_version}",
        subject=str(name),
        hint="install what brings it (its custom resource definitions) first",
    )


def _base(version: str) -> str:
    return f"/apis/{version}" if "/" in version else f"/api/{version}"
