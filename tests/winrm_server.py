"""A WinRM server on this machine that speaks as much WSMan as a WinRS shell needs, for tests of that door.

HTTPS with NTLM by pyspnego's accepting side, as Windows has it. Commands are those of a simulated host; the
fixed PowerShell scripts are done by their meaning, because there is no PowerShell here.
"""

import asyncio
import base64
import hashlib
import json
import ssl
import threading
import uuid
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import spnego
import trustme
from tests.simulation import Machine, Session

from transom.fleet.on_host import ssh_server
from transom.remote.session import Completed
from transom.remote.winrm import _FILES, WinRmSession, WinRmTarget

_RSP = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell"
_NS = {
    "s": "http://www.w3.org/2003/05/soap-envelope",
    "a": "http://schemas.xmlsoap.org/ws/2004/08/addressing",
    "w": "http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd",
    "rsp": _RSP,
}
_DONE = _RSP + "/CommandState/Done"


@dataclass
class _Command:
    words: tuple[str, ...]
    stdin: bytes = b""
    options: dict[str, str] = field(default_factory=dict)


_INHERITED = "D:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1200a9;;;AU)"
HOST_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEhvc3QgaG9zdCBob3N0IGhvc3QgaG9zdCBob3N0IEhI"


@dataclass
class OpenSsh:
    """What a host has of Windows' SSH server, by the orders of the script that installs it.

    `failing` has the number of the act that fails from now on, and whether it was done nevertheless.
    """

    machine: Machine
    service: dict[str, Any] | None = None
    rules: dict[str, str] = field(default_factory=dict)
    access: dict[str, str] = field(default_factory=dict)
    dism: list[str] = field(default_factory=list)
    dism_code: int = 0
    failing: tuple[int, bool] = (-1, False)

    def snapshot(self) -> Any:
        """Everything that an installation could have changed."""
        return self.machine.tree(), self.service, dict(self.rules), dict(self.access)

    def count(self) -> bool:
        """Whether this act is done, and then said to have failed; raises where it is not done."""
        number, is_done = self.failing
        self.failing = number - 1, is_done
        if number == 0 and not is_done:
            raise OSError("Zugriff verweigert")
        return number == 0

    async def do(self, order: dict[str, Any]) -> Any:
        session, act = Session(self.machine), order["act"]
        if act == "look":
            is_there = await session.read(order["keys"]) is not None
            return {
                "start": self.service["start"] if self.service else None,
                "running": bool(self.service and self.service["running"]),
                "open": any(self.rules.get(rule) == "True Any Allow" for rule in order["rules"]),
                "folder": bool(await session.names(order["folder"])),
                "access": self.access.get(order["keys"], _INHERITED) if is_there else None,
            }
        if act == "dism":
            self.dism.append(order["arguments"])
            if self.dism_code == 0:
                is_added = "/add-capability" in order["arguments"]
                self.service = {"start": "Manual", "running": False} if is_added else None
                self.rules["OpenSSH-Server-In-TCP"] = "True Private Allow"
                if not is_added:
                    del self.rules["OpenSSH-Server-In-TCP"]
            return self.dism_code
        if act == "service":
            assert self.service is not None
            self.service = {"start": order["start"], "running": order["running"]}
            if order["running"] and not await session.names(r"C:\ProgramData\ssh"):
                await session.make_directory(r"C:\ProgramData")
                await session.make_directory(r"C:\ProgramData\ssh")
                await session.put(
                    r"C:\ProgramData\ssh\ssh_host_ed25519_key.pub", HOST_KEY.encode() + b" x\r\n"
                )
        elif act == "open":
            assert order["rule"] not in self.rules
            self.rules[order["rule"]] = "True Any Allow"
        elif act == "close":
            self.rules.pop(order["rule"], None)
        else:
            self.access[order["keys"]] = order["access"]
        return True


@dataclass
class WinRmServer:
    """One host behind WinRM; `seen` has the command lines that its shell got."""

    machine: Machine
    folder: Path
    user: str = "Administrator"
    password: str = "correct horse"
    domain: str = ""
    port: int = 0
    tells_codes: bool = True
    seen: list[tuple[str, ...]] = field(default_factory=list)
    ssh: OpenSsh = field(init=False)
    _commands: dict[str, _Command] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ssh = OpenSsh(self.machine)

    @contextmanager
    def open(self) -> Iterator["WinRmServer"]:
        """Serve while the block runs; the authority's certificate is in `folder`."""
        authority = trustme.CA()
        authority.cert_pem.write_to_path(str(self.folder / "ca.pem"))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("localhost").configure_cert(context)
        (self.folder / "users").write_text(f"{self.domain}:{self.user}:{self.password}\n")
        outer = self

        class Handler(_Handler):
            server_of = outer

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        server.socket = context.wrap_socket(server.socket, server_side=True)
        self.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def directly(self) -> WinRmSession:
        """A session without the network between, for tests of very many commands."""
        server = self

        class Direct(WinRmSession):
            async def run(
                self, command: Any, *, stdin: bytes = b"", timeout_s: float, on_line: Any = None
            ) -> Completed:
                del timeout_s, on_line
                said = await asyncio.to_thread(server._do, _Command(tuple(command), stdin))
                return Completed(*said)

            async def close(self) -> None:
                pass

        target = WinRmTarget(host="localhost", user=self.user, password=self.password)
        return Direct(None, target)  # type: ignore[arg-type]

    def answer(self, envelope: ET.Element) -> str:
        """The body of the response to one message."""
        action = _text(envelope, ".//a:Action").rpartition("/")[2]
        body = envelope.find("s:Body", _NS)
        assert body is not None
        return str(getattr(self, f"_{action.lower()}")(envelope, body))

    def _create(self, _envelope: ET.Element, _body: ET.Element) -> str:
        return f"<rsp:Shell><rsp:ShellId>{uuid.uuid4()}</rsp:ShellId></rsp:Shell>"

    def _command(self, envelope: ET.Element, body: ET.Element) -> str:
        words = (
            _text(body, ".//rsp:Command"),
            *(a.text or "" for a in body.iterfind(".//rsp:Arguments", _NS)),
        )
        options = {o.attrib["Name"]: o.text or "" for o in envelope.iterfind(".//w:Option", _NS)}
        self.seen.append(words)
        name = str(uuid.uuid4())
        self._commands[name] = _Command(words, options=options)
        return f"<rsp:CommandResponse><rsp:CommandId>{name}</rsp:CommandId></rsp:CommandResponse>"

    def _send(self, _envelope: ET.Element, body: ET.Element) -> str:
        stream = body.find(".//rsp:Stream", _NS)
        assert stream is not None
        command = self._commands[stream.attrib["CommandId"]]
        # A console swallows what is sent to it as a pipe.
        if command.options.get("WINRS_CONSOLEMODE_STDIN") == "FALSE":
            command.stdin += base64.b64decode(stream.text or "")
        return "<rsp:SendResponse/>"

    def _receive(self, _envelope: ET.Element, body: ET.Element) -> str:
        stream = body.find(".//rsp:DesiredStream", _NS)
        assert stream is not None
        name = stream.attrib["CommandId"]
        code, out, err = self._do(self._commands[name])
        streams = "".join(
            f'<rsp:Stream Name="{kind}" CommandId="{name}">{base64.b64encode(text).decode()}</rsp:Stream>'
            for kind, text in (("stdout", out), ("stderr", err))
        )
        told = f"<rsp:ExitCode>{code}</rsp:ExitCode>" if self.tells_codes else ""
        state = f'<rsp:CommandState CommandId="{name}" State="{_DONE}">{told}</rsp:CommandState>'
        return f"<rsp:ReceiveResponse>{streams}{state}</rsp:ReceiveResponse>"

    def _signal(self, _envelope: ET.Element, _body: ET.Element) -> str:
        return "<rsp:SignalResponse/>"

    def _delete(self, _envelope: ET.Element, _body: ET.Element) -> str:
        return ""

    def _do(self, command: _Command) -> tuple[int, bytes, bytes]:
        session = Session(self.machine)
        if command.words not in (_FILES, ssh_server.COMMAND):
            done = asyncio.run(session.run(command.words, stdin=command.stdin, timeout_s=60))
            return done.code, done.stdout, done.stderr
        order = json.loads(command.stdin)
        try:
            failed = self.ssh.count()
            if command.words == _FILES:
                answer = asyncio.run(_file(session, order))
                if order["act"] in ("put", "remove"):
                    for path in [
                        path for path in self.ssh.access if path.startswith(order["path"])
                    ]:
                        del self.ssh.access[path]
            else:
                answer = asyncio.run(self.ssh.do(order))
            if failed:
                raise OSError("cut")  # noqa: TRY301
        except Exception as error:  # noqa: BLE001 - PowerShell says whatever it is on its error stream
            return 1, b"", str(error).encode()
        return 0, json.dumps({"answer": answer}).encode(), b""


async def _file(session: Session, order: dict[str, str]) -> Any:
    """What the fixed script does."""
    path, act = order["path"], order["act"]
    if act in ("read", "sum"):
        content = await session.read(path)
        if content is None:
            return None
        shown = base64.b64encode(content).decode(), hashlib.sha256(content).hexdigest().upper()
        return shown[act == "sum"]
    if act == "put":
        return await session.put(path, base64.b64decode(order["content"]))
    if act in ("make", "rmdir"):
        return await (session.make_directory if act == "make" else session.remove_directory)(path)
    if act == "names":
        return list(await session.names(path))
    await (session.move(path, order["content"]) if act == "move" else session.remove_tree(path))
    return True


class _Handler(BaseHTTPRequestHandler):
    """One connection: NTLM first, then messages."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server_of: WinRmServer
    _login: Any = None

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self._login is None or not self._login.complete:
            token = self.headers.get("Authorization", "").partition(" ")[2]
            if not token:
                self._refuse("")
                return
            if self._login is None:
                self._login = spnego.server(protocol="negotiate")
            try:
                said = self._login.step(base64.b64decode(token))
            except spnego.exceptions.SpnegoError:
                self._login = None
                self._refuse("")
                return
            if not self._login.complete:
                self._refuse(base64.b64encode(said or b"").decode())
                return
        if not body:
            self._reply(200, "")
            return
        envelope = ET.fromstring(body)  # noqa: S314 - our own client's
        inner = self.server_of.answer(envelope)
        header = f"<a:RelatesTo>{_text(envelope, './/a:MessageID')}</a:RelatesTo>"
        spaces = " ".join(f'xmlns:{key}="{value}"' for key, value in _NS.items())
        self._reply(
            200,
            f"<s:Envelope {spaces}><s:Header>{header}</s:Header><s:Body>{inner}</s:Body></s:Envelope>",
        )

    def _refuse(self, token: str) -> None:
        self._reply(401, "", {"WWW-Authenticate": f"Negotiate {token}".strip()})

    def _reply(self, code: int, text: str, headers: dict[str, str] | None = None) -> None:
        data = text.encode()
        self.send_response(code)
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        self.send_header("Content-Type", "application/soap+xml;charset=UTF-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        pass


def _text(element: ET.Element, path: str) -> str:
    found = element.find(path, _NS)
    return (found.text or "") if found is not None else ""
