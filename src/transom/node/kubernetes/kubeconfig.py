"""A kubeconfig as the node program needs it: where the API server is, and with what to go there.

What it holds is secret: no error names more than the place of a mistake.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from transom.errors import UsageError
from transom.model.records import dataclass
from transom.node.kubernetes.block_yaml import read

_HTTPS_PORT = 443


@dataclass(frozen=True, slots=True)
class Access:
    """The current context: server, its authority as PEM, and one kind of credential.

    `client` is the path of a PEM file with certificate and key, `pem` the content of one.
    """

    server: str
    authority: str
    client: str = ""
    pem: str = field(default="", repr=False)
    token: str = field(default="", repr=False)

    @property
    def endpoint(self) -> str:
        """The server as `host:port`."""
        from urllib.parse import urlsplit

        url = urlsplit(self.server)
        host = url.hostname or ""
        return f"{f'[{host}]' if ':' in host else host}:{url.port or _HTTPS_PORT}"


def read_access(text: str) -> Access:
    """Read the current context; raise UsageError where something a node needs is missing."""
    try:
        document = read(text)
        context = _named(document, "contexts", document["current-context"])["context"]
        cluster = _named(document, "clusters", context["cluster"])["cluster"]
        user = _named(document, "users", context["user"])["user"]
        authority = _decoded(cluster["certificate-authority-data"])
        access = Access(str(cluster["server"]), authority, **_credential(user))
    except (ValueError, KeyError, TypeError, binascii.Error) as error:
        raise _unusable(f"{type(error).__name__} {error}") from error
    if not access.server.startswith("https://"):
        raise _unusable("its server has no https address")
    return access


def with_client_file(text: str, path: str) -> str:
    """The same kubeconfig with its one context, whose certificate and key are in a file."""
    access = read_access(text)
    user = {"token": access.token} if access.token else {}
    if not user:
        user = {"client-certificate": path, "client-key": path}
    authority = base64.b64encode(access.authority.encode()).decode()
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": "cluster",
                "cluster": {"server": access.server, "certificate-authority-data": authority},
            }
        ],
        "users": [{"name": "node", "user": user}],
        "contexts": [{"name": "node", "context": {"cluster": "cluster", "user": "node"}}],
        "current-context": "node",
    }
    return json.dumps(document, indent=1) + "\n"


def _named(document: Mapping[str, Any], key: str, name: str) -> Mapping[str, Any]:
    for entry in document[key]:
        if entry["name"] == name:
            found: Mapping[str, Any] = entry
            return found
    raise KeyError(f"{key} has no {name}")


def _credential(user: Mapping[str, Any]) -> dict[str, str]:
    if "token" in user:
        return {"token": str(user["token"])}
    if "client-certificate-data" in user:
        pair = (user["client-certificate-data"], user["client-key-data"])
        return {"pem": "".join(_decoded(part) for part in pair)}
    return {"client": str(user["client-certificate"])}


def _decoded(data: Any) -> str:
    return base64.b64decode(str(data), validate=True).decode("ascii")


def _unusable(why: str) -> UsageError:
    return UsageError(
        f"cannot use the kubeconfig: {why}",
        subject="kubeconfig",
        hint="Its current context needs a server, certificate-authority-data, and a token or a client "
        "certificate.",
    )
