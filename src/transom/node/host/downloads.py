"""Downloads over HTTP and from files, resumed where the server can.

The proxy is that of the machine's environment as it is stored now, not as it was when this process
started. What speaks HTTP is imported where it is needed: it takes as long as all the rest.
"""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from transom.errors import PermanentError, TemporaryError, TransomError
from transom.model.request import SourceAccess, SourceHeader
from transom.node.host.environment import proxies_of
from transom.node.host.nouns.registry import ReadEnvironment
from transom.node.host.nouns.web import Roots

if TYPE_CHECKING:
    import http.client
    import urllib.request

_CHUNK_BYTES = 1 << 20
_TIMEOUT_S = 60
_PARTIAL, _RANGE_NOT_SATISFIABLE = 206, 416
_PORTS = {"http": 80, "https": 443}
_TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504)


class Downloads:
    """Opens URLs; a broken connection is temporary, a refusal is not."""

    def __init__(self, environment: ReadEnvironment, roots: Roots | None = None) -> None:
        self._environment = environment
        self._roots = roots

    @contextlib.contextmanager
    def open(
        self, url: str, *, offset: int, access: SourceAccess
    ) -> Iterator[tuple[bool, Iterator[bytes]]]:
        import urllib.request

        from transom.node.host.trust import TrustingHandler

        request = urllib.request.Request(url)  # noqa: S310 - the recipe names what is allowed
        if offset:
            request.add_header("Range", f"bytes={offset}-")
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler(proxies_of(self._environment)),
            TrustingHandler(self._roots, authorities=access.authorities),
            _bound_headers(access.headers),
        )
        answer = _answer(opener, request)
        if answer is None:
            yield True, iter(())  # the part is whole already: its hash will tell
            return
        with answer:
            honoured = offset == 0 or answer.status == _PARTIAL
            yield honoured, _chunks(answer, url)


def _answer(
    opener: "urllib.request.OpenerDirector", request: "urllib.request.Request"
) -> "http.client.HTTPResponse | None":
    """What the server begins to send; None where it has nothing beyond the offset asked for."""
    import http.client
    import urllib.error

    try:
        answer: http.client.HTTPResponse = opener.open(request, timeout=_TIMEOUT_S)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == _RANGE_NOT_SATISFIABLE and request.has_header("Range"):
                return None
            raise _failure(request.full_url, error) from error
    except (OSError, http.client.HTTPException) as error:
        raise _failure(request.full_url, error) from error
    return answer


def _bound_headers(headers: tuple[SourceHeader, ...]) -> "urllib.request.BaseHandler":
    import urllib.request

    class BoundHeaders(urllib.request.BaseHandler):
        """Sends a header to the origin it is for, on every hop anew, and to no other."""

        def http_request(self, request: urllib.request.Request) -> urllib.request.Request:
            for header in headers:
                if _origin(header.origin) == _origin(request.full_url):
                    request.add_unredirected_header(header.name, header.value)
            return request

        https_request = http_request

    return BoundHeaders()


def _origin(url: str) -> tuple[str, str, int]:
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)


def _chunks(answer: "http.client.HTTPResponse", url: str) -> Iterator[bytes]:
    import http.client

    try:
        while chunk := answer.read(_CHUNK_BYTES):
            yield chunk
    except (OSError, http.client.HTTPException) as error:
        raise _failure(url, error) from error
    if answer.length:  # reading by parts ends quietly where the connection does
        raise TemporaryError(
            f"cannot download {url}: {answer.length} bytes are missing", subject=url
        )


def _failure(url: str, error: Exception) -> TransomError:
    import urllib.error

    if isinstance(error, urllib.error.HTTPError) and error.code not in _TRY_AGAIN:
        return PermanentError(
            f"cannot download {url}: {error.code} {error.reason}",
            subject=url,
            hint="Check the version, or name a mirror that has it.",
        )
    return TemporaryError(f"cannot download {url}: {error}", subject=url)
