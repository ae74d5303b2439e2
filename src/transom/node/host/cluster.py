"""The API server as a node sees it: asked with the kubelet's own credential, for reading only."""

import json
from typing import TYPE_CHECKING, Any

from transom.errors import PermanentError, TemporaryError
from transom.node.host.nouns.files import ReadFiles
from transom.node.host.values import ClusterNode, NodeHealth
from transom.node.kubernetes.kubeconfig import read_access

if TYPE_CHECKING:
    import ssl

_TIMEOUT_S = 10.0
_NOT_THERE, _TOO_MANY, _SERVER_ERRORS = 404, 429, 500


class NodeCluster:
    """The cluster this host belongs to."""

    def __init__(self, files: ReadFiles) -> None:
        self._files = files

    def node(self, kubeconfig: str, node: str) -> ClusterNode | None:
        document = self._node(kubeconfig, node)
        return None if document is None else node_of(document)

    def health(self, kubeconfig: str, node: str) -> NodeHealth | None:
        document = self._node(kubeconfig, node)
        return None if document is None else health_of(document)

    def _node(self, kubeconfig: str, node: str) -> dict[str, Any] | None:
        # What speaks HTTP takes as long to import as all the rest, and few runs need it.
        import http.client
        import ssl
        import urllib.error
        import urllib.request

        from transom.node.host.trust import trust

        access = read_access(self._files.read(kubeconfig).decode("utf-8", "replace"))
        request = urllib.request.Request(f"{access.server}/api/v1/nodes/{node}")  # noqa: S310 - https only, see read_access
        try:
            context = trust(only=access.authority)
            if access.client:
                context.load_cert_chain(access.client)
            if access.token:
                request.add_header("Authorization", f"Bearer {access.token}")
            # Never through a proxy: the API server is on the cluster's side of it.
            opener = urllib.request.build_opener(
                urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
            )
            with opener.open(request, timeout=_TIMEOUT_S) as answer:
                document: dict[str, Any] = json.load(answer)
                return document
        except urllib.error.HTTPError as error:
            if error.code == _NOT_THERE:
                return None
            said = f"the API server does not tell of node {node}: {error.code} {error.reason}"
            if error.code == _TOO_MANY or error.code >= _SERVER_ERRORS:
                raise TemporaryError(said, subject=node) from error
            raise PermanentError(
                said, subject=node, hint="The kubelet's credential must be that of this node."
            ) from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, ssl.SSLCertVerificationError):
                raise _stranger(access.server, reason) from error
            raise TemporaryError(f"cannot ask the API server: {error}", subject=node) from error


def _stranger(server: str, error: "ssl.SSLCertVerificationError") -> PermanentError:
    return PermanentError(
        f"the certificate of {server} is not trusted: {error.verify_message}",
        subject=server,
        hint="The authority in the kubeconfig must be the cluster's; check the host's clock too.",
    )


def node_of(document: dict[str, Any]) -> ClusterNode:
    """What programs need to know of a Node, from its document."""
    found = document.get("status", {}).get("addresses") or ()
    return ClusterNode(
        pod_range=str(document.get("spec", {}).get("podCIDR", "")),
        addresses=tuple(item["address"] for item in found if item["type"] == "InternalIP"),
    )


def health_of(document: dict[str, Any]) -> NodeHealth:
    """How a Node is, from its document."""
    status = document.get("status", {})
    conditions = {item["type"]: item for item in status.get("conditions", [])}
    ready = conditions.get("Ready", {})
    return NodeHealth(
        ready=ready.get("status") == "True",
        kubelet=str(status.get("nodeInfo", {}).get("kubeletVersion", "")).removeprefix("v"),
        problem=str(ready.get("message", "")),
    )
