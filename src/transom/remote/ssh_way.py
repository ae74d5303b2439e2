"""The way to an SSH server that no jump host leads to: one connection, whose packets leave together.

Used by the SSH door for the first hop. asyncssh hands over each of its packets by itself, and before
nearly each one that says nothing; here those of one turn of the event loop are one call of the system and one
segment on the wire. Knows nothing of SSH.
"""

import asyncio
from collections.abc import Callable
from typing import Any, cast

from transom.remote.ssh_library import asyncssh


class DirectWay:
    """What asyncssh takes for the connection that leads to a host."""

    async def create_connection(
        self, session_factory: Callable[..., Any], remote_host: str, remote_port: int
    ) -> tuple[asyncssh.SSHTCPChannel[bytes], asyncssh.SSHTCPSession[bytes]]:
        """Connect, and give what asyncssh made to speak SSH over it."""
        speaker = session_factory()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_connection(
            lambda: _Beginning(speaker), remote_host, remote_port
        )
        return cast("asyncssh.SSHTCPChannel[bytes]", transport), speaker


class _Beginning(asyncio.Protocol):
    """Is there until the connection is made, and leaves it to the one who speaks."""

    def __init__(self, speaker: asyncio.Protocol) -> None:
        self._speaker = speaker

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        both_ways = cast(
            "asyncio.Transport", transport
        )  # by its methods; not every loop's is one by name
        both_ways.set_protocol(self._speaker)
        self._speaker.connection_made(GatheringTransport(both_ways))


class GatheringTransport(asyncio.Transport):
    """Keeps what is written until the event loop's next turn; everything else is the transport's own."""

    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__()
        self._transport = transport
        self._soon = asyncio.get_running_loop().call_soon
        self._kept: list[bytes | bytearray | memoryview] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send with all that is written in this turn."""
        if not self._kept:
            self._soon(self._send)
        self._kept.append(data)

    def _send(self) -> None:
        kept, self._kept = self._kept, []
        if kept:
            self._transport.write(b"".join(kept))

    def close(self) -> None:
        """Send what is kept, and close."""
        self._send()
        self._transport.close()

    def abort(self) -> None:
        """Close at once; what is kept is lost, as what the transport had not sent."""
        self._kept.clear()
        self._transport.abort()

    def is_closing(self) -> bool:
        """Whether it is closing or closed."""
        return self._transport.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """What is known of the connection."""
        return self._transport.get_extra_info(name, default)
