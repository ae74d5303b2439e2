"""Whose certificates this machine's HTTPS calls accept, and what happens where one is refused.

Windows has few roots at first and fetches any other when one of its own calls meets it. OpenSSL, which
Python speaks HTTPS with, reads only what is in the store. So a chain without a known root is shown to
Windows once, and tried again with the roots that Windows then has. Imported only where HTTPS is spoken:
what it needs takes as long to import as all the rest.
"""

import http.client
import ssl
import urllib.error
import urllib.request
from collections.abc import Sequence
from urllib.parse import urlsplit

from transom.errors import PermanentError
from transom.node.host.nouns.web import Roots

# OpenSSL's X509_V_ERR_ numbers: of a chain that ends before a root of the store, and of wrong times.
_NO_ROOT = (2, 19, 20, 21)
_WRONG_TIME = (9, 10)
_UPDATES = "ctldl.windowsupdate.com"
_TIMEOUT_S = 5.0


def trust(authorities: str = "", *, only: str = "") -> ssl.SSLContext:
    """What a chain is checked with: the machine's roots now and further ones (PEM), or `only` those.

    Chain and name are always checked. Python 3.13 also asks for extensions that many private
    authorities leave out (VERIFY_X509_STRICT, such as for an Authority Key Identifier), which
    neither Windows nor Go does; so this does not.
    """
    context = ssl.create_default_context(cadata=only or None)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if authorities:
        context.load_verify_locations(cadata=authorities)
    return context


class TrustingHandler(urllib.request.HTTPSHandler):
    """Opens https:// URLs, on every hop of a redirect; a certificate it refuses is a PermanentError."""

    def __init__(self, roots: Roots | None = None, *, authorities: str = "") -> None:
        super().__init__()
        self._roots = roots
        self._authorities = authorities

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Open it; where a root is missing, once more after Windows saw the chain."""
        try:
            return self._opened(req)
        except ssl.SSLCertVerificationError as error:
            self._have_root_fetched(req, error)
        try:
            return self._opened(req)
        except ssl.SSLCertVerificationError as error:
            raise not_trusted(_host(req), error) from error

    def _opened(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        # The roots are read each time: Windows may have fetched some since.
        context = trust(self._authorities)
        try:
            return self.do_open(http.client.HTTPSConnection, request, context=context)
        except urllib.error.URLError as error:
            if isinstance(error.reason, ssl.SSLCertVerificationError):
                raise error.reason from error
            raise

    def _have_root_fetched(
        self, request: urllib.request.Request, error: ssl.SSLCertVerificationError
    ) -> None:
        """Let Windows see the chain; raise PermanentError where that does not help."""
        host, said = _host(request), ""
        if self._roots is None or error.verify_code not in _NO_ROOT:
            raise not_trusted(host, error) from error
        try:
            self.do_open(_ShakingHands, request, context=_looking())
        except _Shown as shown:
            said = self._roots.fetch(shown.chain, host)
        if said:
            raise not_trusted(host, error, said) from error


def distrust(host: str, port: int, *, roots: Roots | None, authorities: str) -> str:
    """Why a server's certificate is refused; empty where it is not, or where no server answers."""
    opener = urllib.request.OpenerDirector()
    opener.add_handler(TrustingHandler(roots, authorities=authorities))
    name = f"[{host}]" if ":" in host else host
    request = urllib.request.Request(f"https://{name}:{port}/", method="HEAD")
    try:
        answer = opener.open(request, timeout=_TIMEOUT_S)
    except PermanentError as error:
        return error.message
    except (OSError, http.client.HTTPException):
        return ""
    assert answer is not None
    answer.close()
    return ""


def not_trusted(host: str, error: ssl.SSLCertVerificationError, said: str = "") -> PermanentError:
    """The error for a certificate that is refused: trying again would change nothing."""
    reason = f"{error.verify_message}; Windows says: {said}" if said else error.verify_message
    hint = (
        f"Give the authority of a private site with --ca-file; for a public one let the host reach "
        f"{_UPDATES}, from where Windows fetches roots."
    )
    if error.verify_code in _WRONG_TIME:
        hint = "Check the clock of the host (`w32tm /resync`), then the certificate of the site."
    return PermanentError(
        f"the certificate of {host} is not trusted: {reason}", subject=host, hint=hint
    )


class _Shown(Exception):  # noqa: N818 - what was looked for, not an error
    """The certificates that a server showed."""

    def __init__(self, chain: Sequence[bytes]) -> None:
        super().__init__()
        self.chain = chain


class _ShakingHands(http.client.HTTPSConnection):
    """Connects, through the proxy where there is one, and asks for nothing: headers may be secret."""

    def request(self, *_words: object, **_more: object) -> None:
        """Give the certificates and go."""
        self.connect()
        raise _Shown(_chain(self.sock))


def _looking() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _chain(stream: ssl.SSLSocket) -> Sequence[bytes]:
    # From Python 3.13 on; before, Windows looks for what is between by itself.
    whole = getattr(stream, "get_unverified_chain", None)
    own = stream.getpeercert(binary_form=True)
    return whole() if whole is not None else [own] if own else []


def _host(request: urllib.request.Request) -> str:
    return urlsplit(request.full_url).hostname or ""
