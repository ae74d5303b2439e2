"""A server on this machine that answers as a script says: HTTP, and WebSockets with channels."""

import base64
import hashlib
import http.server
import json
import socketserver
import threading
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from wsproto import events
from wsproto.connection import Connection, ConnectionType

from transom.kube.client import HttpDoor
from transom.kube.http import Http
from transom.kube.kubeconfig import Chosen, Cluster
from transom.kube.login import Fixed, Login
from transom.kube.tls import context_of

if TYPE_CHECKING:
    from collections.abc import Callable

_MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Asked(NamedTuple):
    """A request as it came."""

    method: str
    path: str
    params: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes


class Exchange(http.server.BaseHTTPRequestHandler):
    """One request; it is answered by the next entry of its path's script, and the last is kept."""

    protocol_version = "HTTP/1.1"
    server: "ApiServer"

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True

    def answer(self):
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {key.lower(): value for key, value in self.headers.items()}
        asked = Asked(self.command, parts.path, parse_qsl(parts.query), headers, body)
        self.server.seen.append(asked)
        script = self.server.scripts.get(parts.path)
        if not script:
            self.send(404, {"kind": "Status", "message": f"{parts.path} not found"})
            return
        (script.pop(0) if len(script) > 1 else script[0])(self)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815 - the library's names

    def send(self, code, content=b"", **headers):
        """Send a whole answer."""
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(code)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_args):
        """Tests print nothing."""


class ApiServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """HTTP on a free port of this machine."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.scripts: dict[str, list[Callable[[Exchange], None]]] = {}
        self.seen: list[Asked] = []
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_args):
        self.shutdown()
        self._thread.join(10)
        self.server_close()

    def serve(self, path, *script):
        """Answer a path so."""
        self.scripts[path] = list(script)

    def door(self, login: Login | None = None, *, below: str = "", **bounds: Any) -> HttpDoor:
        """The door to it, or to what stands below a path."""
        chosen = Chosen(
            context="here", cluster=Cluster(server=f"http://127.0.0.1:{self.server_port}{below}")
        )
        trust = context_of(chosen.cluster, chosen.user)
        return HttpDoor(Http(chosen, login or Fixed({}), trust, **bounds), context="here")


def answer(code, content=b"", **headers):
    """Send that."""
    return lambda exchange: exchange.send(code, content, **headers)


def silence(exchange):
    """Send nothing, until the other side hangs up."""
    exchange.rfile.read(1)
    exchange.close_connection = True


def lines(*documents, hang=False):
    """Send one JSON document per line, and then the end or nothing more."""

    def handle(exchange):
        exchange.send_response(200)
        exchange.send_header("Transfer-Encoding", "chunked")
        exchange.end_headers()
        for document in documents:
            data = (
                document if isinstance(document, bytes) else json.dumps(document).encode() + b"\n"
            )
            exchange.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        if hang:
            silence(exchange)
        else:
            exchange.wfile.write(b"0\r\n\r\n")

    return handle


class Socket:
    """The server's end of a WebSocket."""

    def __init__(self, exchange):
        self._exchange = exchange
        self._connection = Connection(ConnectionType.SERVER)
        self.is_closed = False

    def send(self, channel, data=b"", *, pieces=1):
        """Send on a channel, as a message of so many frames."""
        whole = bytes([channel]) + data
        size = -(-len(whole) // pieces)
        parts = [whole[start : start + size] for start in range(0, len(whole), size)]
        for number, part in enumerate(parts, 1):
            event = events.BytesMessage(part, message_finished=number == len(parts))
            self._exchange.wfile.write(self._connection.send(event))

    def ping(self):
        """Ask whether somebody is there."""
        self._exchange.wfile.write(self._connection.send(events.Ping(b"there?")))

    def close(self):
        """Say goodbye."""
        self._exchange.wfile.write(self._connection.send(events.CloseConnection(1000)))

    def receive(self):
        """What came next; None where the other side closed."""
        while not self.is_closed:
            for event in self._connection.events():
                if isinstance(event, events.CloseConnection):
                    self.is_closed = True
                    return None
                if isinstance(event, events.Pong):
                    return "pong"
                if isinstance(event, events.BytesMessage):
                    return event.data[0], bytes(event.data[1:])
            data = self._exchange.connection.recv(65536)
            if not data:
                return None
            self._connection.receive_data(data)
        return None


def websocket(talk, *, protocols):
    """Open a WebSocket with the first protocol of ours that was asked for, and talk."""

    def handle(exchange):
        asked = [item.strip() for item in exchange.headers["Sec-WebSocket-Protocol"].split(",")]
        chosen = next((item for item in asked if item in protocols), "")
        key = exchange.headers["Sec-WebSocket-Key"] + _MAGIC
        accept = base64.b64encode(hashlib.sha1(key.encode(), usedforsecurity=False).digest())
        exchange.send_response(101)
        exchange.send_header("Upgrade", "websocket")
        exchange.send_header("Connection", "Upgrade")
        exchange.send_header("Sec-WebSocket-Accept", accept.decode())
        if chosen:
            exchange.send_header("Sec-WebSocket-Protocol", chosen)
        exchange.end_headers()
        exchange.close_connection = True
        talk(Socket(exchange))

    return handle
