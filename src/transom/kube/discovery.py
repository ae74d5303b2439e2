"""Which kinds a server offers, asked of it once per group and version."""

from collections.abc import Iterable, Mapping

from transom.kube.door import Resource
from transom.kube.errors import NotFound
from transom.kube.http import Ask, Http
from transom.kube.paths import base

# Looked through first, so that a kind of Kubernetes wins over one of the same name of an operator.
_OWN_GROUPS = ("apps", "batch", "networking.k8s.io", "autoscaling", "node.k8s.io")


class Discovery:
    """What a server offers."""

    def __init__(self, http: Http) -> None:
        self._http = http
        self._served: dict[str, Mapping[str, Resource]] = {}

    async def kinds(self, api_version: str) -> Mapping[str, Resource]:
        """The kinds of a group in a version; none where the server does not know it."""
        if api_version not in self._served:
            ask = Ask("GET", base(api_version), "read", f"the kinds of {api_version}")
            try:
                answer = await self._http.json(ask)
            except NotFound:
                # Asked again next time: what brings a kind may be on its way.
                return {}
            with self._http.understood(ask):
                self._served[api_version] = {
                    str(item["kind"]): Resource(
                        str(item["kind"]), api_version, str(item["name"]), bool(item["namespaced"])
                    )
                    for item in answer.get("resources") or ()
                    if "/" not in item["name"]
                }
        return self._served[api_version]

    async def find(self, kinds: Iterable[str]) -> tuple[Resource, ...]:
        """Look for kinds group by group until all are found."""
        wanted = dict.fromkeys(kinds)
        found: dict[str, Resource] = {}
        for version in await self._versions():
            if found.keys() == wanted.keys():
                break
            offered = await self.kinds(version)
            found = {kind: offered[kind] for kind in wanted if kind in offered} | found
        return tuple(found[kind] for kind in wanted if kind in found)

    async def _versions(self) -> tuple[str, ...]:
        ask = Ask("GET", "/apis", "read", "the API groups")
        answer = await self._http.json(ask)
        with self._http.understood(ask):
            preferred = {
                str(group["name"]): str(group["preferredVersion"]["groupVersion"])
                for group in answer.get("groups") or ()
            }
        own = [preferred.pop(name) for name in _OWN_GROUPS if name in preferred]
        return ("v1", *own, *preferred.values())
