"""Programs and ports of a pod over a WebSocket, as the API server offers them.

Messages begin with a byte that names their channel (kubernetes, apimachinery/pkg/util/remotecommand):
0 is stdin, 1 stdout, 2 stderr, 3 the Status at the end. `v5.channel.k8s.io` can also close stdin, with
channel 255; `v4.channel.k8s.io` cannot. To a port channel 0 has the data and 1 its errors, and each begins
with the port's number in two bytes.
"""

import asyncio
import base64
import json
import os
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from http import HTTPStatus
from typing import Any, NamedTuple

import httpcore2
import httpx2
from wsproto import events
from wsproto.connection import Connection, ConnectionType
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from transom.errors import PermanentError, UnsupportedError
from transom.kube.door import Executed
from transom.kube.errors import Unavailable
from transom.kube.http import Ask, Http

V5, V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"
STDIN, STDOUT, STDERR, STATUS, CLOSE = 0, 1, 2, 3, 255
DATA, PROBLEM = 0, 1
# A program's output that is kept, and a message of it.
_LARGEST = 16 * 2**20
_CHUNK = 32 * 2**10
_READ = 64 * 2**10
_WRITE_S = 30.0


class Message(NamedTuple):
    """What came on a channel."""

    channel: int
    data: bytes


class Channels:
    """An open WebSocket whose messages are of channels."""

    def __init__(self, http: Http, ask: Ask, response: httpx2.Response) -> None:
        self.protocol = str(response.headers.get("sec-websocket-protocol", ""))
        self._http = http
        self._ask = ask
        self._stream = response.extensions["network_stream"]
        self._connection = Connection(ConnectionType.CLIENT)
        self._received: deque[Message] = deque()
        self._partial = bytearray()
        self._is_over = False

    async def send(self, channel: int, data: bytes) -> None:
        """Send on a channel."""
        await self._write(events.BytesMessage(bytes([channel]) + data))

    async def receive(self, *, end: float) -> Message | None:
        """The next message; None where the server has closed."""
        while not self._received:
            if self._is_over:
                return None
            with self._connected():
                async with asyncio.timeout(max(0.0, end - time.monotonic())):
                    data = await self._stream.read(_READ)
            await self._take(data)
        return self._received.popleft()

    async def close(self) -> None:
        """Say goodbye, where the other side still listens."""
        with suppress(Unavailable, LocalProtocolError):
            await self._write(events.CloseConnection(code=1000))

    async def _write(self, event: events.Event) -> None:
        with self._connected():
            await self._stream.write(self._connection.send(event), timeout=_WRITE_S)

    @contextmanager
    def _connected(self) -> Iterator[None]:
        try:
            yield
        except (TimeoutError, httpcore2.TimeoutException) as error:
            raise self._broken("no answer in time") from error
        except (OSError, httpcore2.NetworkError) as error:
            raise self._broken(str(error) or type(error).__name__) from error

    def _broken(self, why: str) -> Unavailable:
        return Unavailable(
            f"cannot {self._ask.act} {self._ask.subject}: {why}", subject=self._http.server
        )

    async def _take(self, data: bytes) -> None:
        if not data:
            self._is_over = True
            return
        try:
            self._connection.receive_data(data)
            for event in self._connection.events():
                await self._met(event)
        except RemoteProtocolError as error:
            raise PermanentError(
                f"cannot {self._ask.act} {self._ask.subject}: {self._http.server} does not speak "
                f"WebSocket: {error}",
                subject=self._http.server,
            ) from error

    async def _met(self, event: events.Event) -> None:
        if isinstance(event, events.BytesMessage):
            # One event is what one read brought of a message.
            self._partial += event.data
            if len(self._partial) > _LARGEST:
                raise PermanentError(
                    f"cannot {self._ask.act} {self._ask.subject}: a message is too large",
                    subject=self._http.server,
                )
            if event.message_finished and self._partial:
                self._received.append(Message(self._partial[0], bytes(self._partial[1:])))
                self._partial.clear()
        elif isinstance(event, events.Ping):
            await self._write(event.response())
        elif isinstance(event, events.CloseConnection):
            self._is_over = True


@asynccontextmanager
async def channels(http: Http, ask: Ask, *protocols: str) -> AsyncIterator[Channels]:
    """Open a WebSocket with one of these protocols."""
    headers = {
        **ask.headers,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        "Sec-WebSocket-Protocol": ", ".join(protocols),
    }
    with http.translated(ask):
        async with http.answered(ask._replace(headers=headers)) as response:
            opened = str(response.headers.get("sec-websocket-protocol", ""))
            if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS or opened not in protocols:
                raise UnsupportedError(
                    f"cannot {ask.act} {ask.subject}: {http.server} offers none of "
                    f"{', '.join(protocols)}",
                    subject=http.server,
                    hint="check that no proxy before the API server stops WebSockets",
                )
            found = Channels(http, ask, response)
            try:
                yield found
            finally:
                await found.close()


async def executed(http: Http, ask: Ask, stdin: bytes, *, deadline_s: float) -> Executed:
    """Run a program to its end."""
    end = time.monotonic() + deadline_s
    async with channels(http, ask, V5, V4) as opened:
        if stdin:
            await _feed(opened, stdin, ask)
        output = {STDOUT: bytearray(), STDERR: bytearray()}
        while (message := await opened.receive(end=end)) is not None:
            if message.channel == STATUS:
                return Executed(
                    _exit_code(message.data, ask), bytes(output[STDOUT]), bytes(output[STDERR])
                )
            if message.channel in output:
                output[message.channel] += message.data
            if sum(map(len, output.values())) > _LARGEST:
                raise PermanentError(
                    f"cannot {ask.act} {ask.subject}: its output is too large", subject=ask.subject
                )
    raise Unavailable(
        f"cannot {ask.act} {ask.subject}: the connection ended before the program did",
        subject=ask.subject,
    )


async def _feed(opened: Channels, stdin: bytes, ask: Ask) -> None:
    if opened.protocol != V5:
        raise UnsupportedError(
            f"cannot {ask.act} {ask.subject}: the server cannot close a program's input ({V4})",
            subject=ask.subject,
        )
    for start in range(0, len(stdin), _CHUNK):
        await opened.send(STDIN, stdin[start : start + _CHUNK])
    await opened.send(CLOSE, bytes([STDIN]))


def _exit_code(data: bytes, ask: Ask) -> int:
    """The code that a Status tells; a Status of anything else is an error."""
    try:
        status: Mapping[str, Any] = json.loads(data)
        if status.get("status") == "Success":
            return 0
        causes = (status.get("details") or {}).get("causes") or ()
        return next(int(item["message"]) for item in causes if item["reason"] == "ExitCode")
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration):
        said = data.decode("utf-8", "replace")
    raise PermanentError(
        f"cannot {ask.act} {ask.subject}: {_message(said)}",
        subject=ask.subject,
        hint="check that the container runs and has this program",
    )


def _message(said: str) -> str:
    try:
        return str(json.loads(said)["message"])
    except (ValueError, KeyError, TypeError):
        return said


class PortTunnel:
    """A connection to a port of a pod."""

    def __init__(self, opened: Channels, ask: Ask) -> None:
        self._opened = opened
        self._ask = ask
        self._begun: set[int] = set()

    async def read(self, *, deadline_s: float) -> bytes:
        """What came next; empty at the end."""
        end = time.monotonic() + deadline_s
        while (message := await self._opened.receive(end=end)) is not None:
            # Each channel begins with the number of its port.
            data = message.data if message.channel in self._begun else message.data[2:]
            self._begun.add(message.channel)
            if data and message.channel == PROBLEM:
                raise PermanentError(
                    f"cannot {self._ask.act} {self._ask.subject}: {data.decode('utf-8', 'replace')}",
                    subject=self._ask.subject,
                )
            if data:
                return data
        return b""

    async def write(self, data: bytes) -> None:
        """Send."""
        for start in range(0, len(data), _CHUNK):
            await self._opened.send(DATA, data[start : start + _CHUNK])


@asynccontextmanager
async def tunnel(http: Http, ask: Ask) -> AsyncIterator[PortTunnel]:
    """Open a connection to a port."""
    async with channels(http, ask, V4) as opened:
        yield PortTunnel(opened, ask)
