"""Programs and ports of pods over WebSockets, against a small server on this machine."""

import asyncio
import json
import time

import pytest
from tests.support.api_server import ApiServer, answer, websocket

from transom.errors import PermanentError, UnsupportedError
from transom.kube.channels import CLOSE, STATUS, STDERR, STDIN, STDOUT, V4, V5
from transom.kube.door import Executed
from transom.kube.errors import Forbidden, Unavailable
from transom.model.manifest import ObjectName

POD = ObjectName("v1", "Pod", "shop", "web")
EXEC = "/api/v1/namespaces/shop/pods/web/exec"
PORTS = "/api/v1/namespaces/shop/pods/web/portforward"
SUCCESS = {"metadata": {}, "status": "Success"}


def failure(code):
    cause = {"reason": "ExitCode", "message": str(code)}
    return {"status": "Failure", "reason": "NonZeroExitCode", "details": {"causes": [cause]}}


@pytest.fixture
def server():
    with ApiServer() as server:
        yield server


def execute(server, talk, *, protocols=(V5, V4), stdin=b"", deadline_s=5.0):
    server.serve(EXEC, websocket(talk, protocols=protocols))

    async def walk():
        door = server.door()
        try:
            return await door.execute(
                POD, ["cmd", "/c", "echo a b"], container="c", stdin=stdin, deadline_s=deadline_s
            )
        finally:
            await door.close()

    return asyncio.run(walk())


@pytest.mark.parametrize("protocol", [V5, V4])
@pytest.mark.parametrize(("status", "code"), [(SUCCESS, 0), (failure(3), 3), (failure(255), 255)])
def test_a_program_gives_its_output_and_its_exit_code(server, protocol, status, code):
    def talk(socket):
        socket.send(STDOUT)  # an empty one opens the channel
        socket.send(STDOUT, b"a b\r\n")
        socket.send(STDERR, b"warning")
        socket.ping()
        assert socket.receive() == "pong"
        socket.send(STDOUT, b"more" * 30_000, pieces=3)
        socket.send(STATUS, json.dumps(status).encode())
        assert socket.receive() is None

    found = execute(server, talk, protocols=(protocol,))
    assert found == Executed(code, b"a b\r\n" + b"more" * 30_000, b"warning")
    (asked,) = server.seen
    assert [value for key, value in asked.params if key == "command"] == ["cmd", "/c", "echo a b"]
    assert {"container": "c", "stdin": "false"}.items() <= dict(asked.params).items()
    assert asked.headers["sec-websocket-protocol"] == f"{V5}, {V4}"


def test_what_a_program_reads_is_sent_and_closed(server):
    got = []

    def talk(socket):
        while True:
            message = socket.receive()
            if message == (CLOSE, bytes([STDIN])):
                break
            got.append(message)
        socket.send(STATUS, json.dumps(SUCCESS).encode())

    assert execute(server, talk, stdin=b"x" * 50_000).code == 0
    assert b"".join(data for _, data in got) == b"x" * 50_000
    assert {channel for channel, _ in got} == {STDIN}
    assert dict(server.seen[0].params)["stdin"] == "true"


def test_a_server_that_cannot_close_the_input_is_not_given_any(server):
    with pytest.raises(UnsupportedError, match="cannot close a program's input"):
        execute(server, lambda socket: socket.receive(), protocols=(V4,), stdin=b"x")


def test_a_program_that_could_not_start_is_an_error(server):
    said = {"status": "Failure", "message": "container not found"}

    def talk(socket):
        socket.send(STATUS, json.dumps(said).encode())

    with pytest.raises(PermanentError, match="cannot run cmd in Pod shop/web: container not found"):
        execute(server, talk)


@pytest.mark.parametrize(
    "odd", [b"", b"\xff", b"[]", b'{"details": 1}', b'{"details": {"causes": [1]}}']
)
def test_an_end_in_another_form_is_an_error(server, odd):
    with pytest.raises(PermanentError, match="cannot run cmd in Pod shop/web"):
        execute(server, lambda socket: socket.send(STATUS, odd))


def test_a_connection_that_ends_before_the_program_is_temporary(server):
    def talk(socket):
        socket.send(STDOUT, b"a")
        socket.close()

    for ending in (talk, lambda socket: socket.send(STDOUT, b"a")):
        with pytest.raises(Unavailable, match="before the program did"):
            execute(server, ending)


def test_a_program_that_does_not_end_is_left_at_the_deadline(server):
    began = time.monotonic()
    with pytest.raises(Unavailable, match="no answer in time"):
        execute(server, lambda socket: socket.receive(), deadline_s=0.3)
    assert time.monotonic() - began < 5


def test_output_without_end_is_not_kept(server, monkeypatch):
    monkeypatch.setattr("transom.kube.channels._LARGEST", 1000)

    def talk(socket):
        for _ in range(20):
            socket.send(STDOUT, b"x" * 100)
        socket.receive()

    with pytest.raises(PermanentError, match="its output is too large"):
        execute(server, talk)


def test_a_server_without_these_channels_or_rights_is_said(server):
    with pytest.raises(UnsupportedError, match="offers none of"):
        execute(server, lambda socket: socket.receive(), protocols=())

    async def walk():
        door = server.door()
        try:
            await door.execute(POD, ["cmd"])
        finally:
            await door.close()

    server.serve(EXEC, answer(403, {"message": "may not"}))
    with pytest.raises(Forbidden, match="may not"):
        asyncio.run(walk())
    server.serve(EXEC, answer(200, {}))
    with pytest.raises(UnsupportedError, match="offers none of"):
        asyncio.run(walk())


def forward(server, talk, use):
    server.serve(PORTS, websocket(talk, protocols=(V4,)))

    async def walk():
        door = server.door()
        try:
            async with door.forward(POD, 8080) as tunnel:
                return await use(tunnel)
        finally:
            await door.close()

    return asyncio.run(walk())


def begin(socket):
    for channel in (0, 1):
        socket.send(channel, (8080).to_bytes(2, "little"))


def test_a_port_is_read_and_written(server):
    def talk(socket):
        begin(socket)
        channel, data = socket.receive()
        socket.send(channel, data.upper())
        socket.close()

    async def use(tunnel):
        await tunnel.write(b"hello")
        return [await tunnel.read(deadline_s=5), await tunnel.read(deadline_s=5)]

    assert forward(server, talk, use) == [b"HELLO", b""]
    assert server.seen[0].params == [("ports", "8080")]


def test_a_port_that_nobody_listens_on_is_an_error(server):
    def talk(socket):
        begin(socket)
        socket.send(1, b"connection refused")

    with pytest.raises(PermanentError, match="reach port 8080 of Pod shop/web: connection refused"):
        forward(server, talk, lambda tunnel: tunnel.read(deadline_s=5))
    with pytest.raises(Unavailable, match="no answer in time"):
        forward(
            server,
            lambda socket: (begin(socket), socket.receive()),
            lambda tunnel: tunnel.read(deadline_s=0.2),
        )
