"""What SSH writes in one turn of the event loop leaves the machine together, in its order, and whole."""

import asyncio
from typing import Any

import pytest

from transom.remote.ssh_way import DirectWay, GatheringTransport


class Wire(asyncio.Transport):
    """A transport that writes down what it was asked for."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def write(self, data):
        self.asked.append(bytes(data))

    def close(self):
        self.asked.append("close")

    def abort(self):
        self.asked.append("abort")


def turns(act, count=2):
    """Do something at a gathering transport and let the loop turn; what the wire was asked for."""

    async def done():
        wire = Wire()
        act(GatheringTransport(wire))
        for _ in range(count):
            await asyncio.sleep(0)
        return wire.asked

    return asyncio.run(done())


def test_packets_of_one_turn_leave_together_and_in_order():
    def act(transport):
        for packet in (b"ignore", b"data", b"eof"):
            transport.write(packet)

    assert turns(act) == [b"ignoredataeof"]


def test_packets_of_the_next_turn_leave_by_themselves():
    def act(transport):
        transport.write(b"first")
        loop = asyncio.get_running_loop()
        loop.call_soon(transport.write, b"second")

    assert turns(act, 3) == [b"first", b"second"]


def test_what_was_written_leaves_before_the_connection_is_closed():
    def act(transport):
        transport.write(b"disconnect")
        transport.close()

    assert turns(act) == [b"disconnect", "close"]


def test_what_was_written_before_an_end_that_comes_a_turn_later_leaves():
    """Asyncssh says why it goes, and aborts the connection in the next turn."""

    def act(transport):
        transport.write(b"disconnect")
        asyncio.get_running_loop().call_soon(transport.abort)

    assert turns(act) == [b"disconnect", "abort"]


def test_an_abort_sends_nothing_more():
    def act(transport):
        transport.write(b"lost")
        transport.abort()

    assert turns(act) == ["abort"]


class Speaker(asyncio.Protocol):
    """Says something in two packets, and keeps what it hears."""

    def __init__(self):
        self.heard, self.over = bytearray(), asyncio.Event()

    def connection_made(self, transport):
        assert transport.get_extra_info("peername")
        transport.write(b"hello ")
        transport.write(b"there")

    def data_received(self, data):
        self.heard += data

    def connection_lost(self, _exc):
        self.over.set()


def test_a_connection_speaks_and_hears_to_its_end():
    async def talk():
        said = []

        async def answer(reader, writer):
            said.append(await reader.readexactly(11))
            writer.write(b"good-bye")
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        async with server, asyncio.timeout(10):
            port = server.sockets[0].getsockname()[1]
            speaker: Any
            _, speaker = await DirectWay().create_connection(Speaker, "127.0.0.1", port)
            await speaker.over.wait()
        return said, bytes(speaker.heard)

    assert asyncio.run(talk()) == ([b"hello there"], b"good-bye")


def test_nobody_there_is_an_error_of_the_system():
    async def connect():
        await DirectWay().create_connection(Speaker, "127.0.0.1", 1)

    with pytest.raises(OSError, match=r"\b1\b|refused"):
        asyncio.run(connect())
