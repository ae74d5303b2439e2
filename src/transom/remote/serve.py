"""The door that others come in by: a read-only HTTPS site on this machine, for hosts.

What a path means is asked of a function; ranges are answered, so that
a host can continue a download that was cut off. It changes nothing and knows no user.
"""

import http.server
import ipaddress
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from transom.errors import UsageError
from transom.model.records import dataclass

_LIFE = timedelta(days=30)
_NAME = "Transom mirror"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """Something to send: its size, its sum, and its bytes from an offset on."""

    size: int
    sha256: str
    chunks: Callable[[int], Iterator[bytes]]
    media_type: str = "application/octet-stream"


Find = Callable[[str], Resource | None]
Seen = Callable[[str], None]


class Site(http.server.ThreadingHTTPServer):
    """A site that answers until it is shut down; a slow client keeps nobody else waiting."""

    daemon_threads = True

    def __init__(
        self, address: tuple[str, int], context: ssl.SSLContext, *, find: Find, seen: Seen
    ) -> None:
        self.find = find
        self.seen = seen
        self._context = context
        try:
            super().__init__(address, _Exchange)
        except OSError as error:
            raise UsageError(
                f"cannot listen on {address[0]}:{address[1]}: {error.strerror}",
                hint="choose another address or port with --listen",
            ) from error

    def get_request(self) -> tuple[ssl.SSLSocket, object]:
        """Accept a connection; its own thread shakes hands."""
        connection, address = self.socket.accept()
        wrapped = self._context.wrap_socket(
            connection, server_side=True, do_handshake_on_connect=False
        )
        return wrapped, address

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up or distrusts us is its own affair."""


class _Exchange(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Site
    timeout = 60

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def _answer(self) -> None:
        resource = self.server.find(unquote(urlsplit(self.path).path))
        if resource is None:
            self._end(HTTPStatus.NOT_FOUND, {"Content-Length": "0"})
            return
        start = self._start()
        if start >= resource.size > 0:
            self._end(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, {"Content-Length": "0"})
            return
        headers = {
            "Content-Type": resource.media_type,
            "Content-Length": str(resource.size - start),
            "ETag": f'"{resource.sha256}"',
            "Accept-Ranges": "bytes",
        }
        if self.path.startswith("/v2/") and resource.sha256:
            headers["Docker-Content-Digest"] = f"sha256:{resource.sha256}"
        status = HTTPStatus.OK
        if start:
            status = HTTPStatus.PARTIAL_CONTENT
            headers["Content-Range"] = f"bytes {start}-{resource.size - 1}/{resource.size}"
        self._end(status, headers)
        if self.command == "GET":
            for chunk in resource.chunks(start):
                self.wfile.write(chunk)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Whoever looks on is told in `_end`."""

    def _start(self) -> int:
        asked = self.headers.get("Range", "").removeprefix("bytes=").removesuffix("-")
        return int(asked) if asked.isascii() and asked.isdigit() else 0

    def _end(self, status: HTTPStatus, headers: dict[str, str]) -> None:
        self.server.seen(f"{self.client_address[0]} {self.command} {self.path} {int(status)}")
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


def site_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """TLS with a certificate of the site's own."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise UsageError(
            f"cannot use the certificate {certificate} with the key {key}",
            subject=str(certificate),
            hint="both must be PEM and belong together",
        ) from error
    return context


def make_certificate(names: list[str], folder: Path) -> tuple[Path, Path]:
    """A certificate for these names and addresses that is its own authority, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + _LIFE)
        .add_extension(x509.SubjectAlternativeName([*map(_general_name, names)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "mirror-ca.pem", folder / "mirror-key.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    paths[1].touch(mode=0o600)
    paths[1].write_bytes(secret)
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return paths


def _general_name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)
