"""HTTP to one API server: requests with a login and a deadline, answers of bounded size, refusals as errors.

Knows paths and bytes; what stands at a path is `client`'s business. Here and in `channels` exceptions of the
HTTP library are met, and none of them leaves.
"""

import asyncio
import json
import ssl
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from typing import Any, NamedTuple

import httpx2

from transom.errors import PermanentError
from transom.kube.errors import Refusal, Unavailable, refused
from transom.kube.kubeconfig import Chosen
from transom.kube.login import Headers, Login

# For a connection, and for the whole answer to a request.
_TIMEOUT_S = 30.0
_DEADLINE_S = 60.0
# A page of 250 large objects is a few MiB; one object is at most 1.5 MiB in etcd.
_LARGEST = 64 * 2**20
_LARGEST_LINE = 8 * 2**20
_LARGEST_REFUSAL = 2**20
# How long after its deadline a stream is waited for that the server was asked to end.
_SLACK_S = 10.0

Params = Sequence[tuple[str, str]]


class Ask(NamedTuple):
    """A request, and the words for it in an error: cannot `act` `subject`."""

    method: str
    path: str
    act: str
    subject: str
    params: Params = ()
    body: bytes | None = None
    headers: Mapping[str, str] = {}


class Answer(NamedTuple):
    """A whole answer that is no error."""

    content: bytes
    headers: Mapping[str, str]


class Http:
    """Connections to one server."""

    def __init__(
        self,
        chosen: Chosen,
        login: Login,
        trust: ssl.SSLContext,
        *,
        deadline_s: float = _DEADLINE_S,
        largest: int = _LARGEST,
    ) -> None:
        self.server = chosen.cluster.server
        self._login = login
        self._deadline_s = deadline_s
        self._largest = largest
        name = chosen.cluster.server_name
        self._extensions = {"sni_hostname": name} if name else {}
        self._client = httpx2.AsyncClient(
            base_url=self.server,
            proxy=chosen.cluster.proxy or None,
            verify=trust,
            headers=list(chosen.headers),
            timeout=httpx2.Timeout(min(_TIMEOUT_S, deadline_s)),
        )

    async def ask(self, ask: Ask) -> Answer:
        """Send a request and read the answer whole."""
        with self.translated(ask):
            async with self.answered(ask) as response:
                content = await self._read(response, self._largest, ask, self._end())
                return Answer(content, response.headers)

    async def json(self, ask: Ask) -> dict[str, Any]:
        """Send a request and read the JSON object that answers it."""
        return self.decoded((await self.ask(ask)).content, ask)

    def decoded(self, content: bytes, ask: Ask) -> dict[str, Any]:
        """The JSON object that was answered."""
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise self._odd(ask)
        return found

    async def lines(self, ask: Ask, *, deadline_s: float) -> AsyncGenerator[bytes, None]:
        """The lines of an answer that the server ends by the deadline."""
        end = time.monotonic() + deadline_s + _SLACK_S
        with self.translated(ask):
            async with self.answered(ask, read_s=None) as response:
                chunks = response.aiter_bytes()
                rest = b""
                while True:
                    async with self._until(end):
                        chunk = await anext(chunks, None)
                    if chunk is None:
                        return
                    *whole, rest = (rest + chunk).split(b"\n")
                    for line in whole:
                        if line:
                            yield line
                    if len(rest) > _LARGEST_LINE:
                        raise self._too_large(ask)

    @asynccontextmanager
    async def answered(
        self, ask: Ask, *, read_s: float | None = _TIMEOUT_S
    ) -> AsyncIterator[httpx2.Response]:
        """An answer of which only the head is read; a login that is refused is renewed once."""
        shown = await self._login.headers()
        response = await self._sent(ask, shown, read_s)
        try:
            if response.status_code == HTTPStatus.UNAUTHORIZED:
                newer = await self._login.headers(refused=shown)
                if newer is not shown:
                    await response.aclose()
                    response = await self._sent(ask, newer, read_s)
            if response.status_code >= HTTPStatus.BAD_REQUEST:
                raise await self._refused(response, ask)
            yield response
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Close idle connections."""
        await self._client.aclose()

    async def _sent(self, ask: Ask, shown: Headers, read_s: float | None) -> httpx2.Response:
        request = self._client.build_request(
            ask.method,
            ask.path,
            params=list(ask.params),
            content=ask.body,
            headers={**shown, **ask.headers},
            timeout=httpx2.Timeout(min(_TIMEOUT_S, self._deadline_s), read=read_s),
            extensions=dict(self._extensions),
        )
        async with self._until(self._end()):
            return await self._client.send(request, stream=True)

    async def _read(self, response: httpx2.Response, largest: int, ask: Ask, end: float) -> bytes:
        content = bytearray()
        async with self._until(end):
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > largest:
                    raise self._too_large(ask)
        return bytes(content)

    async def _refused(self, response: httpx2.Response, ask: Ask) -> Exception:
        content = await self._read(response, _LARGEST_REFUSAL, ask, self._end())
        try:
            status = json.loads(content)
        except (ValueError, RecursionError):
            status = None
        if not isinstance(status, dict):
            status = {"message": content.decode("utf-8", "replace").strip()}
        refusal = Refusal(
            response.status_code, status, str(response.headers.get("retry-after", ""))
        )
        return refused(refusal, act=ask.act, subject=ask.subject, server=self.server)

    def _end(self) -> float:
        return time.monotonic() + self._deadline_s

    @asynccontextmanager
    async def _until(self, end: float) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(max(0.0, end - time.monotonic())):
                yield
        except TimeoutError as error:
            raise Unavailable(
                f"the API server {self.server} did not answer in time", subject=self.server
            ) from error

    def _too_large(self, ask: Ask) -> PermanentError:
        return PermanentError(
            f"cannot {ask.act} {ask.subject}: the answer of {self.server} is too large",
            subject=self.server,
        )

    @contextmanager
    def understood(self, ask: Ask) -> Iterator[None]:
        """Have an answer in another form than an API server gives be an error that says so."""
        try:
            yield
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._odd(ask) from error

    def _odd(self, ask: Ask) -> PermanentError:
        return PermanentError(
            f"cannot {ask.act} {ask.subject}: {self.server} does not answer as an API server does",
            subject=self.server,
            hint="check that the server in the kubeconfig is an API server, and no proxy's page",
        )

    @contextmanager
    def translated(self, ask: Ask) -> Iterator[None]:
        """Have errors of the HTTP library leave as ours."""
        try:
            yield
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            if (untrusted := _untrusted(error)) is not None:
                raise PermanentError(
                    f"the certificate of the API server {self.server} is not trusted: "
                    f"{untrusted.verify_message}",
                    subject=self.server,
                    hint="check certificate-authority-data and the server in the kubeconfig",
                ) from error
            raise Unavailable(
                f"cannot reach the API server {self.server} to {ask.act} {ask.subject}: "
                f"{str(error) or type(error).__name__}",
                subject=self.server,
                hint="check the address in the kubeconfig and the way to it",
            ) from error
        except httpx2.InvalidURL as error:
            raise PermanentError(
                f"cannot {ask.act} {ask.subject}: {error}", subject=self.server
            ) from error


def _untrusted(error: BaseException) -> ssl.SSLCertVerificationError | None:
    """The verification that failed below an error of the HTTP library, if one did."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
        cause = cause.__cause__ or cause.__context__
    return cause
