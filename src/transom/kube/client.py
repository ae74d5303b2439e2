"""The real cluster, through lightkube: kubeconfig in, our own values and errors out.

Opened by the command line. Only here, in `answers`, `kubeconfig`, `login` and `sight` lightkube is imported; nothing of it leaves.
"""

import base64
import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx2
from lightkube import AsyncClient
from lightkube.config.client_adapter import user_auth, verify_cluster
from lightkube.config.models import User
from lightkube.core.exceptions import ApiError, ConfigError
from lightkube.models.certificates_v1 import (
    CertificateSigningRequestCondition,
    CertificateSigningRequestStatus,
)
from lightkube.models.meta_v1 import DeleteOptions, ObjectMeta
from lightkube.resources import (
    certificates_v1,
    core_v1,
    discovery_v1,
    rbac_authorization_v1,
)
from msgspec import structs

from transom.errors import PermanentError, TemporaryError, TransomError, UsageError
from transom.kube.answers import budget_in, node_of, pod_of
from transom.kube.api import Judge, Node, Pod, Secret
from transom.kube.kubeconfig import Chosen, choose
from transom.kube.login import login_of
from transom.kube.sight import node_sight, request_sight, service_sights
from transom.model.sight import CertificateRequestSight, NodeSight, ServiceSight

_TIMEOUT_S = 30.0
# Objects per answer, so that no answer is large.
_PAGE = 250
_DAEMON_SETS = "/apis/apps/v1/daemonsets"
_FIELD_MANAGER = "transom"
_UNUSABLE = (ConfigError, TypeError, ValueError, OSError, ImportError, httpx2.InvalidURL)
_BUSY = (
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
)


def open_cluster(*kubeconfigs: Path, context: str | None = None) -> "KubeApi":
    """The cluster that a context of the kubeconfigs names; nothing is sent yet."""
    chosen = choose(kubeconfigs, context)
    config = chosen.config
    assert config.user is not None
    user = structs.replace(config.user, exec=None, auth_provider=None)
    try:
        client = AsyncClient(
            config=config._replace(user=user),
            timeout=httpx2.Timeout(_TIMEOUT_S),
            field_manager=_FIELD_MANAGER,
            proxy=chosen.proxy,
        )
        _speak(client, chosen, user)
        _furnish(client._client._client, chosen)  # noqa: SLF001 - it knows neither itself
    except _UNUSABLE as error:
        raise UsageError(
            f"cannot use the certificates or the server of context {config.context_name!r} in the "
            f"kubeconfig: {error}",
            subject=config.context_name,
            hint="see whether `kubectl get nodes` works, and what it says",
        ) from error
    return KubeApi(client, server=config.cluster.server, context=config.context_name)


def _furnish(client: httpx2.AsyncClient, chosen: Chosen) -> None:
    """Have every request say as whom it acts, and the server prove the name it must have."""
    client.headers.update(chosen.headers)
    if chosen.server_name:

        async def name(request: httpx2.Request) -> None:
            request.extensions["sni_hostname"] = chosen.server_name

        client.event_hooks = {"request": [name]}


def _speak(client: AsyncClient, chosen: Chosen, user: User) -> None:
    """Have requests made as the kubeconfig's user, also one whom lightkube does not know."""
    config = chosen.config
    trust = verify_cluster(config.cluster, user, config.abs_file)
    # Python 3.13 asks for extensions that clusters' authorities often lack (EKS, old kubeadm), and
    # kubectl does not; chain and name stay checked.
    trust.verify_flags &= ~ssl.VERIFY_X509_STRICT
    # lightkube takes neither what to trust nor any login but its own.
    client._client._client = httpx2.AsyncClient(  # noqa: SLF001
        base_url=config.cluster.server,
        proxy=chosen.proxy,
        verify=trust,
        auth=login_of(config, trust) or user_auth(user),
        timeout=httpx2.Timeout(_TIMEOUT_S),
    )


class KubeApi:
    """One cluster; see `kube.api.Api`."""

    def __init__(self, client: AsyncClient, *, server: str, context: str = "") -> None:
        self._client = client
        self.server = server
        self.context = context

    async def version(self) -> str:
        """Ask /version."""
        with self._translated("read", "the version"):
            # lightkube has no call for what is no resource.
            answer = await self._client._client._client.get("/version")  # noqa: SLF001
            answer.raise_for_status()
            return str(answer.json()["gitVersion"]).removeprefix("v")

    async def config_map(self, namespace: str, name: str) -> Mapping[str, str] | None:
        """Read a ConfigMap."""
        found = await self._get(core_v1.ConfigMap, name, namespace)
        return None if found is None else found.data or {}

    async def secret(self, namespace: str, name: str) -> Mapping[str, bytes] | None:
        """Read a Secret."""
        found = await self._get(core_v1.Secret, name, namespace)
        if found is None:
            return None
        return {key: base64.b64decode(text) for key, text in (found.data or {}).items()}

    async def time(self) -> int:
        """Take it from the head of an answer."""
        with self._translated("read", "the time"):
            answer = await self._client._client._client.get("/version")  # noqa: SLF001
            answer.raise_for_status()
            date = parsedate_to_datetime(str(answer.headers["date"]))
            return int(date.timestamp())

    async def node_sight(self, name: str) -> NodeSight | None:
        """Read a Node."""
        found = await self._get(core_v1.Node, name)
        return None if found is None else node_sight(found)

    async def request_sights(self) -> tuple[CertificateRequestSight, ...]:
        """List the requests."""
        with self._translated("list", "CertificateSigningRequests"):
            kind = certificates_v1.CertificateSigningRequest
            return tuple([request_sight(item) async for item in self._client.list(kind)])

    async def bound_to(self, prefix: str) -> tuple[str, ...]:
        """List the bindings."""
        with self._translated("list", "ClusterRoleBindings"):
            bindings = [
                item async for item in self._client.list(rbac_authorization_v1.ClusterRoleBinding)
            ]
        roles = {item.roleRef.name for item in bindings if item.subjects}
        return tuple(sorted(role for role in roles if role.startswith(prefix)))

    async def service_sights(self) -> tuple[ServiceSight, ...]:
        """List Services and their EndpointSlices in every namespace."""
        with self._translated("list", "Services and EndpointSlices"):
            services = [item async for item in self._client.list(core_v1.Service, namespace="*")]
            slices = [
                item async for item in self._client.list(discovery_v1.EndpointSlice, namespace="*")
            ]
        return service_sights(services, slices)

    async def create_secret(self, secret: Secret) -> None:
        """Make a Secret."""
        encoded = {
            key: base64.b64encode(text.encode()).decode() for key, text in secret.data.items()
        }
        made = core_v1.Secret(
            metadata=ObjectMeta(name=secret.name, namespace=secret.namespace),
            type=secret.type,
            data=encoded,
        )
        with self._translated("create", f"Secret {secret.name}"):
            await self._client.create(made)

    async def delete_secret(self, namespace: str, name: str) -> bool:
        """Delete a Secret."""
        return await self._delete(core_v1.Secret, name, namespace)

    async def node(self, name: str) -> Node | None:
        """Read a Node."""
        found = await self._get(core_v1.Node, name)
        return None if found is None else node_of(found)

    async def nodes(self) -> tuple[Node, ...]:
        """List Nodes."""
        with self._translated("list", "Nodes"):
            return tuple([node_of(item) async for item in self._client.list(core_v1.Node)])

    async def label_node(self, name: str, labels: Mapping[str, str | None]) -> None:
        """Patch a Node."""
        with self._translated("label", f"Node {name}"):
            await self._client.patch(core_v1.Node, name, {"metadata": {"labels": dict(labels)}})

    async def pods_on(self, node: str) -> tuple[Pod, ...]:
        """List pods by the Node they are bound to."""
        with self._translated("list", f"the pods on {node}"):
            listed = self._client.list(
                core_v1.Pod, namespace="*", fields={"spec.nodeName": node}, chunk_size=_PAGE
            )
            return tuple([pod_of(item) async for item in listed])

    async def evict(self, pod: Pod, *, grace_period_s: int | None = None) -> str:
        """Create an Eviction; a budget answers it with too many requests."""
        wish = core_v1.PodEviction(
            metadata=ObjectMeta(name=pod.name, namespace=pod.namespace),
            deleteOptions=DeleteOptions(gracePeriodSeconds=grace_period_s),
        )
        with self._translated("evict", f"pod {pod.namespace}/{pod.name}"):
            try:
                await self._client.create(wish, pod.name, namespace=pod.namespace)
            except ApiError as error:
                if error.status.code == HTTPStatus.NOT_FOUND:
                    return ""
                budget = budget_in(error.status)
                if not budget:
                    raise
                return budget
            return ""

    async def daemon_sets(self) -> tuple[Mapping[str, Any], ...]:
        """List DaemonSets in all namespaces."""
        found: list[Mapping[str, Any]] = []
        params = {"limit": str(_PAGE)}
        while True:
            answer = await self.fetch(_DAEMON_SETS, subject="DaemonSets", params=params) or {}
            found += answer.get("items") or ()
            following = (answer.get("metadata") or {}).get("continue")
            if not following:
                return tuple(found)
            params["continue"] = following

    async def approve(self, request: str, *, reason: str, judge: Judge) -> str:
        """Add the condition to the approval of a request, in the version that was judged."""
        kind = certificates_v1.CertificateSigningRequest
        with self._translated("approve", f"CertificateSigningRequest {request}"):
            found = await self._client.get(kind, request)
            why_not = judge(request_sight(found))
            if why_not:
                return why_not
            approved = CertificateSigningRequestCondition(
                type="Approved", status="True", reason="TransomApproved", message=reason
            )
            decided = [*((found.status and found.status.conditions) or ()), approved]
            wish = certificates_v1.CertificateSigningRequestApproval(
                metadata=found.metadata,
                spec=found.spec,
                status=CertificateSigningRequestStatus(conditions=decided),
            )
            await self._client.replace(wish, request)
            return ""

    async def set_unschedulable(self, name: str, *, unschedulable: bool) -> None:
        """Patch a Node."""
        with self._translated("change", f"Node {name}"):
            await self._client.patch(
                core_v1.Node, name, {"spec": {"unschedulable": unschedulable or None}}
            )

    async def delete_node(self, name: str) -> bool:
        """Delete a Node."""
        return await self._delete(core_v1.Node, name)

    async def fetch(
        self, path: str, *, subject: str, params: Mapping[str, str] | None = None
    ) -> dict[str, Any] | None:
        """Read a path, for kinds that this module has no word for; None where there is none."""
        with self._translated("read", subject):
            # As in `version`: lightkube has no call for kinds it was not told of.
            answer = await self._client._client._client.get(path, params=params)  # noqa: SLF001
            if answer.status_code == HTTPStatus.NOT_FOUND:
                return None
            answer.raise_for_status()
            found: dict[str, Any] = answer.json()
            return found

    async def send(
        self,
        method: str,
        path: str,
        *,
        act: str,
        subject: str,
        params: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        media_type: str = "application/json",
    ) -> dict[str, Any]:
        """Send a request to a path, for kinds that this module has no word for."""
        with self._translated(act, subject):
            # As in `version`.
            answer = await self._client._client._client.request(  # noqa: SLF001
                method,
                path,
                params=params,
                content=None if body is None else json.dumps(body).encode(),
                headers={"Content-Type": media_type},
            )
            answer.raise_for_status()
            found: dict[str, Any] = answer.json()
            return found

    async def close(self) -> None:
        """Close idle connections."""
        await self._client.aclose()

    async def _get(self, kind: Any, name: str, namespace: str | None = None) -> Any:
        with self._translated("read", f"{kind.__name__} {name}"):
            try:
                return await self._client.get(kind, name, namespace=namespace)
            except ApiError as error:
                if error.status.code == HTTPStatus.NOT_FOUND:
                    return None
                raise

    async def _delete(self, kind: Any, name: str, namespace: str | None = None) -> bool:
        with self._translated("delete", f"{kind.__name__} {name}"):
            try:
                await self._client.delete(kind, name, namespace=namespace)
            except ApiError as error:
                if error.status.code == HTTPStatus.NOT_FOUND:
                    return False
                raise
            return True

    @contextmanager
    def _translated(self, act: str, subject: str) -> Iterator[None]:
        try:
            yield
        except ApiError as error:
            raise self._refused(act, subject, error.status.code or 0, str(error)) from error
        except httpx2.HTTPStatusError as error:
            code = error.response.status_code
            raise self._refused(act, subject, code, _said(error.response)) from error
        except (httpx2.HTTPError, OSError) as error:
            if (refused := _refused_certificate(error)) is not None:
                raise PermanentError(
                    f"the certificate of the API server {self.server} is not trusted: "
                    f"{refused.verify_message}",
                    subject=self.server,
                    hint="check certificate-authority-data and the server in the kubeconfig",
                ) from error
            raise TemporaryError(
                f"cannot reach the API server {self.server}: {str(error) or type(error).__name__}",
                subject=self.server,
                hint="check the address in the kubeconfig and the way to it",
            ) from error
        except ConfigError as error:
            raise UsageError(f"the kubeconfig's credential cannot be used: {error}") from error

    def _refused(self, act: str, subject: str, code: int, said: str) -> TransomError:
        message = f"cannot {act} {subject}: {said}"
        if code in _BUSY:
            return TemporaryError(message, subject=self.server)
        if code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            return PermanentError(
                message,
                subject=self.server,
                hint="use a kubeconfig whose user may do this",
            )
        return PermanentError(message, subject=self.server)


def _refused_certificate(error: BaseException) -> ssl.SSLCertVerificationError | None:
    """The verification that failed below an error of the HTTP client, if one did."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
        cause = cause.__cause__ or cause.__context__
    return cause


def _said(answer: httpx2.Response) -> str:
    try:
        return str(answer.json()["message"])
    except (ValueError, KeyError, TypeError):
        return answer.text
