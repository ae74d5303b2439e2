"""What services reach without the proxy they are given: the API server, which only the host knows for sure.

A recipe may be made before anybody knows the server, such as for an image or for boot data whose join
configuration comes from elsewhere.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from transom.errors import UsageError
from transom.model.recipe import Service
from transom.node.engine.reach import server_of
from transom.node.engine.step import NodeSpec
from transom.node.host.protocols import ReadHost
from transom.node.host.values import PathKind
from transom.node.kubernetes.kubeconfig import read_access
from transom.node.steps.join import Layout

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY")
_EXCEPTIONS = "NO_PROXY"


def environment_of(host: ReadHost, want: NodeSpec, service: Service) -> Mapping[str, str]:
    """A service's variables; with a proxy among them, the API server is an exception from it."""
    variables = service.environment
    if not any(variables.get(name) for name in _PROXIES):
        return variables
    listed = [entry for entry in variables.get(_EXCEPTIONS, "").split(",") if entry]
    server = _server(host, want)
    if not server or server in listed or "*" in listed:
        return variables
    return {**variables, _EXCEPTIONS: ",".join([*listed, server])}


def _server(host: ReadHost, want: NodeSpec) -> str:
    """Where the kubelet goes, or will go after the join; empty where neither is known."""
    kubeconfig = Layout.of(want.recipe.join).kubeconfig
    if host.files.kind(kubeconfig) is PathKind.FILE:
        try:
            text = host.files.read(kubeconfig).decode("utf-8", "replace")
            return urlsplit(read_access(text).server).hostname or ""
        except UsageError:
            pass  # torn by a power cut: the join writes it again
    return server_of(want.join.endpoint).host if want.join is not None else ""
