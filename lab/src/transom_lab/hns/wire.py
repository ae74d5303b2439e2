"""How the service is reached: by the DLLs over TCP, by the lab over a socket file.

DLLs      127.0.0.1:9099 in the host's namespace; one call per connection. Request: u32 length,
          then function, program, id, parent and text, each UTF-8 ended by NUL. Answer: u32
          HRESULT, u32 length, UTF-8 text. Integers are little endian.
          lab/native/hns/client.h is the other side.
control   `control.sock` in the state directory, reachable from any namespace and from no
          Windows program; one JSON document per connection each way, see `client.HnsClient`.
"""

import json
import os
import socket
import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transom_lab.hns.faults import SwitchInterruption, fault_from
from transom_lab.hns.service import Call, Hns

PORT = 9099
CONTROL_SOCKET = "control.sock"
_FIELDS = 5
_LONGEST_REQUEST = 64 << 20


@contextmanager
def control_address(directory: Path) -> Iterator[str]:
    """A name of the control socket short enough for a socket address, however deep it lies."""
    handle = os.open(directory, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{handle}/{CONTROL_SOCKET}"
    finally:
        os.close(handle)


def encode(call: Call) -> bytes:
    """A call as the DLLs send it."""
    parts = (call.function, call.program, call.id, call.parent, call.text)
    body = b"".join(part.encode() + b"\0" for part in parts)
    return struct.pack("<I", len(body)) + body


def decode(body: bytes) -> Call:
    """A call from what follows its length.

    Raises:
        ValueError: it is not five texts.
    """
    parts = body.decode().split("\0")
    if len(parts) != _FIELDS + 1:
        raise ValueError(f"a call has {_FIELDS} fields, this one {len(parts) - 1}")
    return Call(*parts[:_FIELDS])


def _receive(connection: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


class _Calls(socketserver.BaseRequestHandler):
    server: "CallServer"

    def handle(self) -> None:
        try:
            (length,) = struct.unpack("<I", _receive(self.request, 4))
            if length > _LONGEST_REQUEST:
                return
            call = decode(_receive(self.request, length))
        except (EOFError, ValueError):
            return
        answer = self.server.hns.call(call)
        body = answer.text.encode()
        self.request.sendall(struct.pack("<II", answer.hresult, len(body)) + body)


class CallServer(socketserver.ThreadingTCPServer):
    """Answers the DLLs."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, hns: Hns, port: int = PORT) -> None:
        self.hns = hns
        super().__init__(("127.0.0.1", port), _Calls)


class _Control(socketserver.StreamRequestHandler):
    server: "ControlServer"

    def handle(self) -> None:
        try:
            request = json.loads(self.rfile.readline())
            answer = {"result": control(self.server.hns, request)}
        except (KeyError, TypeError, ValueError) as error:
            answer = {"error": f"bad control request: {error!r}"}
        self.wfile.write(json.dumps(answer).encode())


class ControlServer(socketserver.ThreadingUnixStreamServer):
    """Answers the lab."""

    daemon_threads = True

    def __init__(self, hns: Hns, directory: Path) -> None:
        self.hns = hns
        (directory / CONTROL_SOCKET).unlink(missing_ok=True)
        with control_address(directory) as address:
            super().__init__(address, _Control)


def control(hns: Hns, request: dict[str, Any]) -> Any:
    """Carry out one control request."""
    match request["do"]:
        case "state":
            return hns.store.snapshot()
        case "reset":
            hns.reset()
        case "reboot":
            hns.reboot()
        case "heal":
            hns.faults.clear()
        case "fault":
            hns.faults.pending.append(fault_from(request))
        case "interrupt":
            hns.faults.interruption = SwitchInterruption(
                float(request["down_s"]), bool(request.get("lose_addresses", False))
            )
        case "call":
            call = Call(
                request["function"],
                "lab",
                request.get("id", ""),
                request.get("parent", ""),
                request.get("text", ""),
            )
            answer = hns.call(call)
            return {"hresult": answer.hresult, "text": answer.text}
        case unknown:
            raise ValueError(f"unknown request {unknown!r}")
    return None


def serve(hns: Hns, directory: Path) -> None:
    """Answer both kinds of caller until the process ends."""
    with CallServer(hns) as calls, ControlServer(hns, directory) as lab:
        threading.Thread(target=lab.serve_forever, daemon=True).start()
        calls.serve_forever()
