"""The door to web servers: one HTTPS exchange at a time, through proxies, with private CAs.

Speaks nothing but HTTPS, follows
no redirect away from it, and sends a header only to the origin it was given for. Every failure
becomes a TemporaryError or a PermanentError here, and none shows a header's value, a query or a
password.
"""

import http.client
import ipaddress
import re
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from http import HTTPStatus
from typing import IO
from urllib.parse import SplitResult, unquote, urlsplit

from transom import __version__
from transom.errors import PermanentError, TemporaryError, TransomError, UsageError
from transom.model.records import dataclass

_HTTPS_PORT = 443
_TEMPORARY = frozenset(
    (
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.TOO_EARLY,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    )
)
# A connection that ended inside TLS may well hold the next time.
_CUT = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)
_PROXY_SAYS_NO = "Tunnel connection failed: 4"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_GIVE_HEADER = "give it a header with --header"


class NotThere(PermanentError):  # noqa: N818 - named for what it is
    """The server answers and has nothing at that address."""


class Unauthorized(PermanentError):  # noqa: N818 - named for what it is
    """The server wants to know who asks; `challenge` says how it wants to be told."""

    challenge: str = ""


class RangeRefused(PermanentError):  # noqa: N818 - named for what it is
    """The server cannot continue from where a partial download ended."""


@dataclass(frozen=True, slots=True)
class Header:
    """A header for one origin only, such as a token for a mirror; its value is never shown."""

    origin: str
    name: str
    value: str = field(repr=False)

    def __post_init__(self) -> None:
        _refuse_unsafe(self.origin)
        if _TOKEN.fullmatch(self.name) is None:
            raise UsageError(f"{self.name!r} is not the name of a header", subject=self.origin)
        # The client library would quote a bad value in its own error.
        if not self.value.isascii() or not self.value.isprintable() or not self.value.strip():
            raise UsageError(
                f"the value of header {self.name} is empty or has characters no header may have",
                subject=self.origin,
                hint="look at the environment variable it comes from, such as for a line break",
            )


@dataclass(frozen=True, slots=True)
class Proxy:
    """Which proxy HTTPS goes through, if any, and which names are reached directly."""

    url: str = field(default="", repr=False)
    no_proxy: tuple[str, ...] = ()

    @staticmethod
    def of(environ: Mapping[str, str], *, url: str = "", no_proxy: Sequence[str] = ()) -> "Proxy":
        """The environment's proxy where it names one, else the given one."""
        named = next((environ[n] for n in ("https_proxy", "HTTPS_PROXY") if n in environ), None)
        if named is None:
            return Proxy(url, tuple(no_proxy))
        direct = environ.get("no_proxy", environ.get("NO_PROXY", ""))
        return Proxy(named, tuple(part.strip() for part in direct.split(",") if part.strip()))

    def serves(self, host: str, port: int) -> bool:
        """Whether a connection to that host goes through the proxy."""
        return bool(self.url) and not any(_matches(host, port, entry) for entry in self.no_proxy)


def shown(url: str) -> str:
    """A URL as messages may show it: without user, password, query and fragment."""
    parts = urlsplit(url)
    _, _, host = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{host}{parts.path}"


def origin_of(url: str) -> str:
    """Scheme, host and port: what a header is bound to."""
    parts = urlsplit(url)
    return f"{parts.scheme.lower()}://{(parts.hostname or '').lower()}:{_port(parts)}"


class Response:
    """An answer that is being read; reading fails only with errors of `transom.errors`."""

    def __init__(self, url: str, answer: http.client.HTTPResponse) -> None:
        self._url = url
        self._answer = answer
        self.status = answer.status
        self.headers: Mapping[str, str] = {
            name.lower(): value for name, value in answer.headers.items()
        }

    def read_some(self, limit: int) -> bytes:
        """The bytes that have arrived, at most `limit`; empty at the end."""
        with _translated(self._url):
            return self._answer.read1(limit)


class Https:
    """A client with its trust, proxy and headers; keeps no connection between exchanges."""

    def __init__(
        self, *, ca_file: str = "", proxy: Proxy | None = None, headers: Sequence[Header] = ()
    ) -> None:
        self._opener = urllib.request.OpenerDirector()
        self._opener.addheaders = [("User-Agent", f"transom/{__version__}")]
        for handler in (
            urllib.request.HTTPSHandler(context=_trust(ca_file)),
            urllib.request.HTTPDefaultErrorHandler(),
            urllib.request.HTTPErrorProcessor(),
            _OnlyHttpsRedirects(),
            _BoundHeaders(headers),
            _ThroughProxy(proxy or Proxy()),
        ):
            self._opener.add_handler(handler)

    @contextmanager
    def get(
        self, url: str, *, timeout_s: float, headers: Mapping[str, str] | None = None
    ) -> Iterator[Response]:
        """Ask for a URL; each single wait for the server ends after `timeout_s`."""
        with self.send("GET", url, timeout_s=timeout_s, headers=headers) as response:
            yield response

    @contextmanager
    def send(
        self,
        method: str,
        url: str,
        *,
        timeout_s: float,
        headers: Mapping[str, str] | None = None,
        body: Iterable[bytes] | None = None,
    ) -> Iterator[Response]:
        """Make a request of any method; a body needs its Content-Length among the headers."""
        _refuse_unsafe(url)
        request = urllib.request.Request(  # noqa: S310 - https only
            url,
            data=body,
            headers=dict(headers or {}),
            method=method,
        )
        with _translated(url):
            answer = self._opener.open(request, timeout=timeout_s)
        assert isinstance(answer, http.client.HTTPResponse)
        with answer:
            yield Response(url, answer)


class _OnlyHttpsRedirects(urllib.request.HTTPRedirectHandler):
    """Follow redirects within HTTPS, and leave headers for one origin behind."""

    def redirect_request(  # noqa: PLR0917 - the library's signature
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        try:
            _refuse_unsafe(newurl)
        except UsageError as error:
            fp.close()
            raise PermanentError(
                f"cannot get {shown(req.full_url)}: it redirects to where we do not follow",
                subject=shown(req.full_url),
                hint="name a mirror or an override that serves it over HTTPS",
            ) from error
        # Headers bound to an origin are unredirected ones: the copy made here has none of them.
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _BoundHeaders(urllib.request.BaseHandler):
    """Add the headers that belong to a request's origin, on every hop anew."""

    def __init__(self, headers: Sequence[Header]) -> None:
        self._headers = [(origin_of(header.origin), header) for header in headers]

    def https_request(self, request: urllib.request.Request) -> urllib.request.Request:
        origin = origin_of(request.full_url)
        for bound_to, header in self._headers:
            if bound_to == origin:
                request.add_unredirected_header(header.name, header.value)
        return request


class _ThroughProxy(urllib.request.BaseHandler):
    """Send a request through the proxy where it serves the host, on every hop anew."""

    # After the HTTPS handler, which reads the Host header off the request before this changes it.
    handler_order = 600

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        if proxy.url and urlsplit(proxy.url).scheme != "http":
            raise UsageError(
                f"cannot use the proxy {shown(proxy.url)}: it must be an http:// URL",
                hint="HTTPS is tunnelled through it and stays closed to the proxy",
            )

    def https_request(self, request: urllib.request.Request) -> urllib.request.Request:
        target = urlsplit(request.full_url)
        if self._proxy.serves(target.hostname or "", _port(target)):
            parts = urlsplit(self._proxy.url)
            _, _, address = parts.netloc.rpartition("@")
            if parts.username is not None:
                request.add_unredirected_header("Proxy-Authorization", _basic(parts))
            request.set_proxy(address, "http")
        return request


@contextmanager
def _translated(url: str) -> Iterator[None]:
    """Turn what the client library raises into errors of ours."""
    try:
        yield
    except urllib.error.HTTPError as error:
        error.close()
        raise _refused(url, error) from error
    except urllib.error.URLError as error:
        reason = error.reason if isinstance(error.reason, Exception) else error
        raise _broken(url, reason) from reason
    except (OSError, http.client.HTTPException) as error:
        raise _broken(url, error) from error


def _refused(url: str, error: urllib.error.HTTPError) -> TransomError:
    said = f"cannot get {shown(url)}: the server answered {error.code} {error.reason}"
    if error.code in _TEMPORARY:
        after = error.headers.get("Retry-After", "")
        delay_s = float(after) if after.isascii() and after.isdigit() else 0.0
        return TemporaryError(said, subject=shown(url), hint="try again later", delay_s=delay_s)
    if error.code in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        hint = "look at the version, and at the mirror or override that the fleet names"
        return NotThere(said, subject=shown(url), hint=hint)
    if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
        return RangeRefused(said, subject=shown(url))
    if error.code == HTTPStatus.UNAUTHORIZED:
        refusal = Unauthorized(said, subject=shown(url), hint=_GIVE_HEADER)
        refusal.challenge = error.headers.get("WWW-Authenticate", "")
        return refusal
    hint = _GIVE_HEADER if error.code == HTTPStatus.FORBIDDEN else ""
    return PermanentError(said, subject=shown(url), hint=hint)


def _broken(url: str, error: Exception) -> TransomError:
    if isinstance(error, ssl.SSLCertVerificationError):
        return PermanentError(
            f"cannot get {shown(url)}: its certificate is not trusted: {error.verify_message}",
            subject=shown(url),
            hint="name the authority of a private mirror with --ca-file",
        )
    what = "no answer in time" if isinstance(error, TimeoutError) else _words(error)
    hint = "look at the network and the proxy, then try again"
    if isinstance(error, ssl.SSLError) and not isinstance(error, _CUT):
        hint = "it does not speak HTTPS as it should; look at its address and port"
        return PermanentError(f"cannot get {shown(url)}: {what}", subject=shown(url), hint=hint)
    if isinstance(error, OSError) and _PROXY_SAYS_NO in str(error):
        hint = "the proxy refuses; look at its address and what it asks for"
        return PermanentError(f"cannot get {shown(url)}: {what}", subject=shown(url), hint=hint)
    return TemporaryError(
        f"cannot get {shown(url)}: {what}", subject=shown(url), hint=hint, delay_s=0.0
    )


def _words(error: Exception) -> str:
    strerror = error.strerror if isinstance(error, OSError) else None
    return strerror or str(error) or type(error).__name__


def _refuse_unsafe(url: str) -> None:
    try:
        parts = urlsplit(url)
        _port(parts)
    except ValueError as error:
        raise UsageError("cannot read an address as a URL", hint=str(error)) from error
    if parts.scheme != "https":
        raise UsageError(
            f"cannot get {shown(url)}: only https:// addresses are used",
            subject=shown(url),
            hint="bytes that anybody on the way may change are not worth pinning",
        )
    if "@" in parts.netloc:
        raise UsageError(
            f"the address {shown(url)} carries a user or password",
            subject=shown(url),
            hint="leave them out and give a header from the environment with --header",
        )


def _trust(ca_file: str) -> ssl.SSLContext:
    context = ssl.create_default_context()
    # Python 3.13 asks for extensions that many private authorities leave out, and neither Windows nor
    # Go miss; chain and name stay checked.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if ca_file:
        try:
            context.load_verify_locations(cafile=ca_file)
        except (OSError, ssl.SSLError) as error:
            raise UsageError(
                f"cannot read certificates from {ca_file}",
                subject=ca_file,
                hint="it must hold the authority's certificates as PEM",
            ) from error
    return context


def _matches(host: str, port: int, entry: str) -> bool:
    if entry == "*":
        return True
    entry, _, wanted_port = entry.rpartition(":") if entry.count(":") == 1 else (entry, "", "")
    if wanted_port and wanted_port != str(port):
        return False
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        name = entry.removeprefix("*").removeprefix(".").lower()
        return host.lower() == name or host.lower().endswith(f".{name}")


def _port(parts: SplitResult) -> int:
    return parts.port or _HTTPS_PORT


def _basic(parts: SplitResult) -> str:
    import base64

    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return "Basic " + base64.b64encode(pair.encode()).decode("ascii")
