"""A web server and a proxy for contract tests: real TLS on this machine, scripted answers."""

import datetime as dt
import http.server
import ipaddress
import select
import socket
import socketserver
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

Handler = Callable[["Exchange"], None]


class Exchange(http.server.BaseHTTPRequestHandler):
    """One request; what it answers is the next entry of its path's script."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_GET(self):
        """Play the script."""
        self.server.seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
        script = self.server.scripts.get(self.path)
        if not script:
            self.answer(404, b"not here")
            return
        (script.pop(0) if len(script) > 1 else script[0])(self)

    def answer(self, status, body=b"", headers=None):
        """Send a whole answer."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args):
        """Tests print nothing."""


def body(content, *, etag=""):
    """Answer the whole, or the range that was asked for."""

    def handle(exchange):
        headers = {"ETag": etag} if etag else {}
        asked = exchange.headers.get("Range", "")
        unchanged = exchange.headers.get("If-Range", etag) == etag
        if asked and unchanged:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            if start >= len(content):
                exchange.answer(416)
                return
            place = f"bytes {start}-{len(content) - 1}/{len(content)}"
            exchange.answer(206, content[start:], {**headers, "Content-Range": place})
        else:
            exchange.answer(200, content, headers)

    return handle


def cut(content, after, *, etag=""):
    """Promise the whole and hang up after so many bytes."""

    def handle(exchange):
        exchange.send_response(200)
        exchange.send_header("Content-Length", str(len(content)))
        if etag:
            exchange.send_header("ETag", etag)
        exchange.end_headers()
        exchange.wfile.write(content[:after])
        exchange.close_connection = True

    return handle


def status(code, **headers):
    """Answer nothing but a status."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda exchange: exchange.answer(code, b"", named)


def drip(content, *, pause_s):
    """Send a byte at a time, until nobody listens any more."""

    def handle(exchange):
        exchange.send_response(200)
        exchange.send_header("Content-Length", str(len(content)))
        exchange.end_headers()
        for byte in content:
            try:
                exchange.wfile.write(bytes([byte]))
            except OSError:
                return
            time.sleep(pause_s)

    return handle


def silence(exchange):
    """Answer nothing, until the client hangs up."""
    exchange.rfile.read(1)


class Server(http.server.ThreadingHTTPServer):
    """HTTPS on a free port of this machine."""

    # Kept-alive connections would hold a test's end until their threads see it.
    daemon_threads = True
    block_on_close = False

    def __init__(self, context: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.scripts: dict[str, list[Handler]] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.context = context
        scheme = "https" if context else "http"
        self.url = f"{scheme}://127.0.0.1:{self.server_port}"

    def get_request(self):
        """Accept a connection; its own thread does the handshake."""
        connection, address = super().get_request()
        if self.context is not None:
            connection = self.context.wrap_socket(
                connection, server_side=True, do_handshake_on_connect=False
            )
        return connection, address

    def handle_error(self, *_args):
        """A client that hangs up is part of the tests."""

    def serve(self, path: str, *script: Handler) -> str:
        """Script a path and give its URL."""
        self.scripts[path] = list(script)
        return self.url + path

    def paths(self) -> list[str]:
        """The paths asked for, in order."""
        return [path for path, _ in self.seen]


class _Tunnel(socketserver.BaseRequestHandler):
    server: "ProxyServer"

    def handle(self):
        """Read where to, and carry bytes both ways."""
        request = b""
        while b"\r\n\r\n" not in request:
            request += self.request.recv(4096)
        first, *headers = request.decode("latin-1").split("\r\n")
        self.server.asked.append((first.split(" ")[1], headers))
        if self.server.refuses:
            self.request.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
            return
        host, _, port = first.split(" ")[1].rpartition(":")
        with socket.create_connection((host, int(port)), timeout=5) as upstream:
            self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            self._pump(upstream)

    def _pump(self, upstream):
        pairs = {self.request: upstream, upstream: self.request}
        while True:
            for ready in select.select(list(pairs), [], [], 5)[0]:
                data = ready.recv(65536)
                if not data:
                    return
                pairs[ready].sendall(data)


class ProxyServer(socketserver.ThreadingTCPServer):
    """A proxy that tunnels, and remembers whereto."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Tunnel)
        self.asked: list[tuple[str, list[str]]] = []
        self.refuses = False
        self.address = f"127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_args):
        """A client that hangs up is part of the tests."""


@contextmanager
def running(server: socketserver.BaseServer) -> Iterator[None]:
    """Serve until the block ends."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class FakeClock:
    """Time that passes only when somebody waits, and remembers how long they did."""

    time: float = 1000.0
    waits: list[float] = field(default_factory=list)

    def now(self) -> float:
        """Seconds since the epoch."""
        return self.time

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return self.time

    def sleep(self, seconds: float) -> None:
        """Pretend to wait."""
        self.waits.append(seconds)
        self.time += seconds


def tls(authority: trustme.CA) -> ssl.SSLContext:
    """A server's TLS with a certificate for this machine."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", "localhost").configure_cert(context)
    return context


def bare_chain(folder: Path) -> tuple[str, ssl.SSLContext]:
    """An authority and a server's TLS whose certificates name no keys, as old and private tools make them."""
    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root_name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a plain authority")])
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a plain site")])
    root = _certificate(root_name, root_key.public_key(), root_name).add_extension(
        x509.BasicConstraints(ca=True, path_length=None), critical=True
    )
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    site = _certificate(name, key.public_key(), root_name).add_extension(
        x509.SubjectAlternativeName(names), critical=False
    )
    shown, secret = folder / "site.pem", folder / "site.key"
    encoding = serialization.Encoding.PEM
    shown.write_bytes(site.sign(root_key, hashes.SHA256()).public_bytes(encoding))
    secret.write_bytes(
        key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(shown, secret)
    authority = root.sign(root_key, hashes.SHA256()).public_bytes(encoding)
    return authority.decode("ascii"), context


def _certificate(subject, key, issuer):
    now = dt.datetime.now(dt.UTC)
    day = dt.timedelta(days=1)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
    )
