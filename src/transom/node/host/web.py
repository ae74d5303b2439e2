"""Single calls over HTTP, such as to a cloud's metadata and its store for secrets.

Every answer is given back, also a refusal; only where there is none, an error is raised.
"""

from collections.abc import Mapping

from transom.errors import TemporaryError
from transom.node.host.environment import proxies_of
from transom.node.host.nouns.registry import ReadEnvironment
from transom.node.host.nouns.web import Roots
from transom.node.host.values import WebAnswer

_TIMEOUT_S = 20
_MOST_BYTES = 1 << 20


class Web:
    """Calls from this machine; through its proxy where asked."""

    def __init__(self, environment: ReadEnvironment, roots: Roots | None = None) -> None:
        self._environment = environment
        self._roots = roots

    def call(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None = None,
        direct: bool = False,
    ) -> WebAnswer:
        import http.client
        import urllib.error
        import urllib.request

        from transom.node.host.trust import TrustingHandler

        class NoRedirects(urllib.request.HTTPRedirectHandler):
            """A signed call or a token goes where it was sent and nowhere else."""

            def redirect_request(self, *_about: object) -> None:
                return None

        request = urllib.request.Request(  # noqa: S310 - a store or metadata that boot data names
            url, data=body, headers=dict(headers), method=method
        )
        proxies = {} if direct else proxies_of(self._environment)
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler(proxies),
            TrustingHandler(self._roots),
            NoRedirects(),
            urllib.request.HTTPErrorProcessor(),
        )
        try:
            with opener.open(request, timeout=_TIMEOUT_S) as answer:
                return WebAnswer(answer.status, answer.read(_MOST_BYTES))
        except urllib.error.HTTPError as error:
            with error:
                return WebAnswer(error.code, error.read(_MOST_BYTES))
        except (OSError, http.client.HTTPException) as error:
            raise TemporaryError(f"cannot reach {url}: {error}", subject=url) from error
