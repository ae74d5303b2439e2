"""The real cluster: the verbs of `door` as requests to an API server."""

import json
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import httpx2

from transom.errors import UsageError
from transom.kube.api import Api
from transom.kube.discovery import Discovery
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
from transom.kube.errors import NotFound, Refusal, refused
from transom.kube.http import Ask, Http
from transom.kube.in_cluster import service_account
from transom.kube.kubeconfig import Chosen, choose
from transom.kube.login import login_of
from transom.kube.paths import path_of, place_of, selecting
from transom.kube.tls import context_of
from transom.model.manifest import Manifest, ObjectName, name_of

_UNUSABLE = (TypeError, ValueError, OSError, ImportError, httpx2.InvalidURL)
_APPLY = "application/apply-patch+yaml"
# Of a container's output, so much at most is asked for.
_LOG_BYTES = 16 * 2**20


def open_cluster(*kubeconfigs: Path, context: str | None = None) -> Api:
    """The cluster that a context of the kubeconfigs names; nothing is sent yet."""
    return Api(open_door(choose(kubeconfigs, context)))


def open_in_cluster(environ: Mapping[str, str]) -> Api | None:
    """The cluster that this program runs in as a pod; None where it does not."""
    chosen = service_account(environ)
    return None if chosen is None else Api(open_door(chosen))


def open_door(chosen: Chosen) -> "HttpDoor":
    """A cluster with its user; nothing is sent yet."""
    try:
        trust = context_of(chosen.cluster, chosen.user)
        http = Http(chosen, login_of(chosen, trust), trust)
    except _UNUSABLE as error:
        raise UsageError(
            f"cannot use the certificates or the server of context {chosen.context!r} in the "
            f"kubeconfig: {error}",
            subject=chosen.context,
            hint="see whether `kubectl get nodes` works, and what it says",
        ) from error
    return HttpDoor(http, context=chosen.context)


class HttpDoor(Door):
    """One cluster over HTTP."""

    def __init__(self, http: Http, *, context: str = "") -> None:
        self.server = http.server
        self.context = context
        self._http = http
        self._discovery = Discovery(http)

    async def version(self) -> str:
        """Ask /version."""
        ask = Ask("GET", "/version", "read", "the version")
        answer = await self._http.json(ask)
        with self._http.understood(ask):
            return str(answer["gitVersion"]).removeprefix("v")

    async def time(self) -> int:
        """Take it from the head of an answer."""
        ask = Ask("GET", "/version", "read", "the time")
        answer = await self._http.ask(ask)
        with self._http.understood(ask):
            return int(parsedate_to_datetime(answer.headers["date"]).timestamp())

    async def resource(self, api_version: str, kind: str) -> Resource | None:
        """Ask what the version offers, once."""
        known = KNOWN.get((api_version, kind))
        return known or (await self._discovery.kinds(api_version)).get(kind)

    async def resources(self, kinds: Iterable[str]) -> tuple[Resource, ...]:
        """Ask group by group until all are found."""
        return await self._discovery.find(kinds)

    async def get(self, name: ObjectName) -> Manifest | None:
        """Read it."""
        path = await self._path(name)
        if path is None:
            return None
        try:
            return await self._http.json(Ask("GET", path, "read", str(name)))
        except NotFound:
            return None

    async def page(
        self, resource: Resource, selection: Selection = ALL, *, limit: int, following: str = ""
    ) -> Page:
        """Ask for one page."""
        params = [("limit", str(limit)), *selecting(selection)]
        params += [("continue", following)] if following else []
        ask = Ask("GET", place_of(resource, selection), "list", resource.plural, params)
        answer = await self._http.json(ask)
        with self._http.understood(ask):
            items, metadata = answer["items"] or (), answer["metadata"]
            # Objects in a list do not say what they are.
            said = {"apiVersion": resource.api_version, "kind": resource.kind}
            return Page(
                tuple({**said, **_object(item)} for item in items),
                str(metadata.get("resourceVersion") or ""),
                str(metadata.get("continue") or ""),
            )

    async def watch(
        self, resource: Resource, since: str, selection: Selection = ALL, *, deadline_s: float = 300
    ) -> AsyncGenerator[Event, None]:
        """Have the server send changes until the deadline."""
        params = [
            ("watch", "true"),
            ("allowWatchBookmarks", "true"),
            ("resourceVersion", since),
            ("timeoutSeconds", str(max(1, round(deadline_s)))),
            *selecting(selection),
        ]
        ask = Ask("GET", place_of(resource, selection), "watch", resource.plural, params)
        async with aclosing(self._http.lines(ask, deadline_s=deadline_s)) as lines:
            async for line in lines:
                yield self._event(self._http.decoded(line, ask), ask)

    async def create(self, manifest: Manifest) -> Manifest:
        """Post it."""
        name = name_of(manifest)
        path = await self._known(name)
        return await self._send("POST", path.rpartition("/")[0], "create", name, manifest)

    async def replace(self, manifest: Manifest, *, subresource: str = "") -> Manifest:
        """Put it."""
        name = name_of(manifest)
        path = await self._known(name, subresource)
        return await self._send("PUT", path, "change", name, manifest)

    async def patch(
        self,
        name: ObjectName,
        change: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        patch: Patch = Patch.MERGE,
        subresource: str = "",
    ) -> Manifest:
        """Send what changes."""
        path = await self._known(name, subresource)
        return await self._send("PATCH", path, "change", name, change, media_type=patch.value)

    async def apply(
        self,
        manifest: Manifest,
        *,
        dry_run: bool = False,
        force: bool = False,
        manager: str = FIELD_MANAGER,
        subresource: str = "",
    ) -> Manifest:
        """Send it whole; the server merges."""
        name = name_of(manifest)
        path = await self._known(name, subresource)
        params = [("fieldManager", manager), ("force", str(force).lower())]
        params += [("dryRun", "All")] if dry_run else []
        return await self._send(
            "PATCH", path, "apply", name, manifest, params=params, media_type=_APPLY
        )

    async def delete(self, name: ObjectName, how: Deletion = BACKGROUND) -> bool:
        """Delete it, and what it owns as is asked."""
        path = await self._path(name)
        if path is None:
            return False
        conditions = {"uid": how.uid, "resourceVersion": how.version}
        body = {
            "kind": "DeleteOptions",
            "apiVersion": "v1",
            "propagationPolicy": how.propagation.value,
            "preconditions": {key: value for key, value in conditions.items() if value} or None,
            "gracePeriodSeconds": how.grace_period_s,
        }
        options = {key: value for key, value in body.items() if value is not None}
        try:
            await self._send("DELETE", path, "delete", name, options)
        except NotFound:
            return False
        return True

    async def evict(self, name: ObjectName, *, grace_period_s: int | None = None) -> None:
        """Create an Eviction."""
        options = {} if grace_period_s is None else {"gracePeriodSeconds": grace_period_s}
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": name.name, "namespace": name.namespace},
            "deleteOptions": options,
        }
        await self._send("POST", await self._known(name, "eviction"), "evict", name, body)

    async def logs(self, pod: ObjectName, *, container: str = "", tail: int | None = None) -> bytes:
        """Ask for its log."""
        params = [("limitBytes", str(_LOG_BYTES))]
        params += [("container", container)] if container else []
        params += [("tailLines", str(tail))] if tail is not None else []
        path = await self._known(pod, "log")
        return (await self._http.ask(Ask("GET", path, "read the log of", str(pod), params))).content

    async def execute(
        self,
        pod: ObjectName,
        command: Sequence[str],
        *,
        container: str = "",
        stdin: bytes = b"",
        deadline_s: float = 60,
    ) -> Executed:
        """Ask the kubelet through the API server."""
        from transom.kube.channels import executed

        params = [("command", word) for word in command]
        params += [("stdout", "true"), ("stderr", "true"), ("stdin", str(bool(stdin)).lower())]
        params += [("container", container)] if container else []
        path = await self._known(pod, "exec")
        ask = Ask("GET", path, f"run {command[0]} in", str(pod), params)
        return await executed(self._http, ask, stdin, deadline_s=deadline_s)

    def forward(self, pod: ObjectName, port: int) -> AbstractAsyncContextManager[Tunnel]:
        """Ask the kubelet through the API server."""
        from transom.kube.channels import tunnel

        path = path_of(KNOWN["v1", "Pod"], pod, "portforward")
        ask = Ask("GET", path, f"reach port {port} of", str(pod), [("ports", str(port))])
        return tunnel(self._http, ask)

    async def ask_kubelet(self, node: str, path: str) -> bytes:
        """Ask through the Node's proxy."""
        name = ObjectName("v1", "Node", "", node)
        place = f"{await self._known(name, 'proxy')}/{path}"
        return (await self._http.ask(Ask("GET", place, f"read {path} of", str(name)))).content

    async def close(self) -> None:
        """Close idle connections."""
        await self._http.close()

    def _event(self, sent: Mapping[str, Any], ask: Ask) -> Event:
        kind, found = sent.get("type"), sent.get("object")
        if kind == "ERROR" and isinstance(found, dict):
            code = found.get("code")
            refusal = Refusal(code if isinstance(code, int) else 0, found)
            raise refused(refusal, act=ask.act, subject=ask.subject, server=self.server)
        with self._http.understood(ask):
            return Event(Change(kind), _object(found))

    async def _send(
        self,
        method: str,
        path: str,
        act: str,
        name: ObjectName,
        body: Any,
        *,
        params: Sequence[tuple[str, str]] = (),
        media_type: str = "application/json",
    ) -> Manifest:
        writer = [("fieldManager", FIELD_MANAGER)] if method != "DELETE" and not params else params
        content = json.dumps(body).encode()
        headers = {"Content-Type": media_type}
        return await self._http.json(Ask(method, path, act, str(name), writer, content, headers))

    async def _known(self, name: ObjectName, subresource: str = "") -> str:
        path = await self._path(name, subresource)
        if path is None:
            raise not_served(name)
        return path

    async def _path(self, name: ObjectName, subresource: str = "") -> str | None:
        resource = await self.resource(name.api_version, name.kind)
        return None if resource is None else path_of(resource, name, subresource)


def _object(found: Any) -> dict[str, Any]:
    """An object of the API; raise TypeError where it is none."""
    if not isinstance(found, dict) or not isinstance(found.get("metadata"), dict):
        raise TypeError("no object of the API")
    return found
