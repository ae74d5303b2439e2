"""Many questions to the lab's API server: would it take this object? Nothing is stored.

Threads with one connection each, because a kubectl per object would take an hour.
"""

import base64
import http.client
import json
import ssl
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import local
from typing import Any
from urllib.parse import urlsplit

from transom.yamlio.loader import load

_THREADS = 8
_TIMEOUT_S = 30.0
_GROUPS = {"apps/v1": "apis/apps/v1", "batch/v1": "apis/batch/v1", "v1": "api/v1"}
_CLUSTER_WIDE = frozenset({"Namespace", "PersistentVolume", "Node"})
_PLURALS = {"NetworkPolicy": "networkpolicies", "StorageClass": "storageclasses"}


@dataclass(frozen=True)
class Verdict:
    """What the server said."""

    accepted: bool
    message: str


class ApiServer:
    """The API server of a kubeconfig with client certificates in it."""

    def __init__(self, kubeconfig: Path, *, scratch: Path) -> None:
        (document,) = load(kubeconfig.read_bytes(), name=str(kubeconfig))
        cluster = document.value["clusters"][0]["cluster"]
        user = document.value["users"][0]["user"]
        self._address = urlsplit(cluster["server"])
        self._context = ssl.create_default_context(
            cadata=base64.b64decode(cluster["certificate-authority-data"]).decode()
        )
        pair = scratch / "client.pem"
        pair.touch(mode=0o600)
        pair.write_bytes(
            b"\n".join(
                base64.b64decode(user[f"client-{part}-data"]) for part in ("certificate", "key")
            )
        )
        self._context.load_cert_chain(pair)
        pair.unlink()
        self._local = local()
        self._connections: list[http.client.HTTPSConnection] = []

    def close(self) -> None:
        """Close the connections of all threads."""
        for connection in self._connections:
            connection.close()

    def judge(self, objects: Iterable[dict[str, Any]]) -> list[Verdict]:
        """What it says to the creation of each object, in order."""
        with ThreadPoolExecutor(_THREADS) as pool:
            return list(pool.map(self.dry_run, objects))

    def dry_run(self, found: dict[str, Any]) -> Verdict:
        """What it says to the creation of one object."""
        return _verdict(*self.post(_path(found) + "?dryRun=All&fieldValidation=Strict", found))

    def create(self, found: dict[str, Any]) -> Verdict:
        """Make an object."""
        return _verdict(*self.post(_path(found), found))

    def patch(self, path: str, change: dict[str, Any]) -> Verdict:
        """Change an object, lists item by item."""
        kind = "application/strategic-merge-patch+json"
        return _verdict(*self._request("PATCH", path, change, kind))

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Send an object."""
        return self._request("POST", path, body, "application/json")

    def _request(
        self, method: str, path: str, body: dict[str, Any], kind: str
    ) -> tuple[int, dict[str, Any]]:
        connection = self._connection()
        connection.request(method, path, json.dumps(body), {"Content-Type": kind})
        response = connection.getresponse()
        data = response.read()
        # A path that does not exist is answered in plain text.
        is_json = "json" in response.headers.get_content_type()
        answer: dict[str, Any] = json.loads(data) if is_json else {"message": data.decode()}
        return response.status, answer

    def _connection(self) -> http.client.HTTPSConnection:
        if not hasattr(self._local, "connection"):
            assert self._address.hostname is not None
            connection = http.client.HTTPSConnection(
                self._address.hostname,
                self._address.port,
                context=self._context,
                timeout=_TIMEOUT_S,
            )
            self._local.connection = connection
            self._connections.append(connection)
        mine: http.client.HTTPSConnection = self._local.connection
        return mine


def _verdict(status: int, answer: dict[str, Any]) -> Verdict:
    return Verdict(status < http.client.BAD_REQUEST, answer.get("message", ""))


def _path(found: dict[str, Any]) -> str:
    version, kind = found["apiVersion"], found["kind"]
    group = _GROUPS.get(version, f"apis/{version}")
    plural = _PLURALS.get(kind, f"{kind.lower()}s")
    if kind in _CLUSTER_WIDE:
        return f"/{group}/{plural}"
    return f"/{group}/namespaces/{found['metadata'].get('namespace', 'default')}/{plural}"
