r"""The WinRM door: hosts that have no SSH server, by pypsrp; see `remote.session.Session`.

Commands run in a WinRS shell with their input as a
pipe. Files go through one fixed PowerShell script that is told what to do on its standard input, so
that no path and no byte is part of a command line. Each call waits in a thread of its own.
"""

import asyncio
import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from typing import TYPE_CHECKING, Any

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.model.records import dataclass
from transom.remote import powershell
from transom.remote.session import Completed, Parcel, must_be_bounded

if TYPE_CHECKING:
    from pypsrp.shell import Process, WinRS

HTTPS_PORT, HTTP_PORT = 5986, 5985
_CONNECT_S = 20
_POLL_S = 10
_FILE_S = 600.0
_PIECE = 96 * 1024
_SKIP = "WINRS_SKIP_CMD_SHELL"
_PIPED = "WINRS_CONSOLEMODE_STDIN"

# Told by one line of JSON, answers with one; a file's bytes are base64 both ways.
_SCRIPT = r"""
$ErrorActionPreference = 'Stop'
$o = [Console]::In.ReadToEnd() | ConvertFrom-Json
$p = $o.path
$a = switch ($o.act) {
  'read' { if (Test-Path -LiteralPath $p -PathType Leaf) { [Convert]::ToBase64String([IO.File]::ReadAllBytes($p)) } else { $null } }
  'sum' { if (Test-Path -LiteralPath $p -PathType Leaf) { (Get-FileHash -LiteralPath $p -Algorithm SHA256).Hash } else { $null } }
  'put' { $n = $p + '.part'; [IO.File]::WriteAllBytes($n, [Convert]::FromBase64String($o.content)); Move-Item -LiteralPath $n -Destination $p -Force; $true }
  'move' { Move-Item -LiteralPath $p -Destination $o.content; $true }
  'make' { if (Test-Path -LiteralPath $p -PathType Container) { $false } else { $null = New-Item -ItemType Directory -Path $p; $true } }
  'names' { if (Test-Path -LiteralPath $p -PathType Container) { ,@(Get-ChildItem -LiteralPath $p -Force | ForEach-Object Name) } else { ,@() } }
  'rmdir' { if (Test-Path -LiteralPath $p) { try { [IO.Directory]::Delete($p) } catch [IO.IOException] { } }; -not (Test-Path -LiteralPath $p) }
  'remove' { if (Test-Path -LiteralPath $p) { Remove-Item -LiteralPath $p -Recurse -Force }; $true }
}
ConvertTo-Json -Compress @{answer = $a}
"""
_FILES = powershell.command(_SCRIPT)


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRmTarget:
    """A host and how to get in; without TLS the messages themselves are encrypted by NTLM or Kerberos."""

    host: str
    user: str
    password: str = field(repr=False)
    port: int = HTTPS_PORT

    @property
    def name(self) -> str:
        """The host as messages name it."""
        return f"{self.host}:{self.port}"


async def connect(target: WinRmTarget) -> "WinRmSession":
    """Open a shell there."""
    try:
        from pypsrp.shell import WinRS
        from pypsrp.wsman import WSMan
    except ImportError as error:
        raise UsageError(
            f"{target.host} is reached by WinRM, and pypsrp is not installed",
            hint="pip install 'transom[winrm]'",
        ) from error
    wsman = WSMan(
        target.host,
        port=target.port,
        username=target.user,
        password=target.password,
        ssl=target.port != HTTP_PORT,
        connection_timeout=_CONNECT_S,
        operation_timeout=_POLL_S,
        read_timeout=_POLL_S + _CONNECT_S,
    )
    shell = WinRS(wsman)
    with _translated(target, "reach it by WinRM"):
        await asyncio.to_thread(shell.open)
    return WinRmSession(shell, target)


class WinRmSession:
    """A shell in use; see `remote.session.Session`."""

    def __init__(self, shell: "WinRS", target: WinRmTarget) -> None:
        self._shell = shell
        self._target = target

    @property
    def peer(self) -> str:
        """Unknown: each message may take a connection of its own."""
        return ""

    async def run(
        self,
        command: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout_s: float,
        on_line: Callable[[bytes], None] | None = None,
    ) -> Completed:
        """Run a command to its end; it is asked for news until then."""
        with _translated(self._target, "run a command"):
            process = await asyncio.to_thread(self._begin, command, stdin)
            passed = 0
            try:
                async with asyncio.timeout(timeout_s):
                    while True:
                        is_done = await asyncio.to_thread(_poll, process)
                        must_be_bounded(self._target.name, process.stdout, process.stderr)
                        passed = _pass_on(process.stdout, passed, on_line, last=is_done)
                        if is_done:
                            break
            finally:
                # Also after an interruption: the host is not left with a command nobody reads.
                with suppress(Exception):
                    await asyncio.to_thread(_end, process)
        if process.rc is None:
            raise TemporaryError(
                f"{command[0]} on {self._target.name} ended without an exit code",
                subject=self._target.name,
                hint="run the same command again: it goes on from what is there",
            )
        return Completed(process.rc, process.stdout, process.stderr)

    def _begin(self, command: Sequence[str], stdin: bytes) -> "Process":
        from pypsrp.shell import Process

        process = Process(self._shell, command[0], list(command[1:]))
        process.id = _start(self._shell, command)
        pieces = [stdin[at : at + _PIECE] for at in range(0, len(stdin), _PIECE)] or [b""]
        for number, piece in enumerate(pieces, start=1):
            process.send(piece, end=number == len(pieces))
        return process

    async def script(self, text: str, *, timeout_s: float) -> Completed:
        """Run a PowerShell script."""
        return await self.run(powershell.command(text), timeout_s=timeout_s)

    async def read(self, path: str) -> bytes | None:
        """Read a file whole."""
        found = await self._file("read", path)
        try:
            return None if found is None else base64.b64decode(found, validate=True)
        except (ValueError, TypeError) as error:
            raise self._odd("read", path) from error

    async def put(self, path: str, content: bytes) -> bool:
        """Write beside, rename, and compare the sum."""
        wanted = hashlib.sha256(content).hexdigest()
        if await self._sum(path) == wanted:
            return False
        await self._file("put", path, base64.b64encode(content).decode())
        if await self._sum(path) != wanted:
            raise PermanentError(
                f"{path} on {self._target.name} is not what was sent",
                subject=self._target.name,
                hint="look for a full disk or a virus scanner that changes files",
            )
        return True

    async def send(self, path: str, parcel: Parcel) -> bool:
        """As `put`: the script takes a file as one piece."""
        return await self.put(path, b"".join(parcel.chunks()))

    async def make_directory(self, path: str) -> bool:
        """Make one directory."""
        return bool(await self._file("make", path))

    async def names(self, path: str) -> tuple[str, ...]:
        """List a directory."""
        found = await self._file("names", path) or ()
        if not isinstance(found, list | tuple):
            raise self._odd("names", path)
        return tuple(sorted(map(str, found)))

    async def move(self, source: str, target: str) -> None:
        """Rename a file."""
        await self._file("move", source, target)

    async def remove_tree(self, path: str) -> None:
        """Remove a file or a directory with all that is in it."""
        await self._file("remove", path)

    async def remove_directory(self, path: str) -> bool:
        """Remove a directory only if nothing is in it."""
        return bool(await self._file("rmdir", path))

    async def wait_cut(self, *, timeout_s: float) -> None:
        """Ask until nobody answers."""
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    await self.run(("hostname",), timeout_s=_POLL_S * 2)
                    await asyncio.sleep(1)
        except TimeoutError as error:
            raise TemporaryError(
                f"{self._target.name} did not end the session in time", subject=self._target.name
            ) from error
        except TemporaryError:
            return

    async def close(self) -> None:
        """Take the shell away; a host that is gone has none."""
        with suppress(TemporaryError, PermanentError), _translated(self._target, "end"):
            await asyncio.to_thread(self._shell.close)

    def _odd(self, act: str, path: str) -> PermanentError:
        return PermanentError(
            f"{self._target.name} answered to {act} {path} in a way that cannot be used",
            subject=self._target.name,
            hint="look whether a profile of its PowerShell prints something",
        )

    async def _sum(self, path: str) -> str | None:
        found = await self._file("sum", path)
        return None if found is None else str(found).lower()

    async def _file(self, act: str, path: str, content: str = "") -> Any:
        order = json.dumps({"act": act, "path": path, "content": content}).encode()
        done = await self.run(_FILES, stdin=order, timeout_s=_FILE_S)
        if done.code != 0:
            said = done.stderr.decode(errors="replace").strip()[-500:]
            raise PermanentError(
                f"cannot {act} {path} on {self._target.name}: {said}",
                subject=self._target.name,
                hint="look whether its disk is full, and who may write there",
            )
        try:
            return json.loads(done.stdout)["answer"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise self._odd(act, path) from error


def _start(shell: "WinRS", command: Sequence[str]) -> str:
    """Start a command whose input is a pipe; pypsrp's own way leaves it a console."""
    import xml.etree.ElementTree as ET

    from pypsrp.wsman import NAMESPACES, OptionSet

    line = ET.Element(f"{{{NAMESPACES['rsp']}}}CommandLine")
    ET.SubElement(line, f"{{{NAMESPACES['rsp']}}}Command").text = command[0]
    for word in command[1:]:
        ET.SubElement(line, f"{{{NAMESPACES['rsp']}}}Arguments").text = word
    options = OptionSet()
    options.add_option(_PIPED, "FALSE")
    options.add_option(_SKIP, "FALSE")
    answer = shell.wsman.command(
        shell.resource_uri,
        line,
        option_set=options,
        selector_set=shell._selector_set,  # noqa: SLF001
    )
    found = answer.find("rsp:CommandResponse/rsp:CommandId", NAMESPACES)
    return (found.text or "") if found is not None else ""


def _poll(process: "Process") -> bool:
    from pypsrp.shell import CommandState

    process.poll_invoke()
    return process.state == CommandState.DONE


def _end(process: "Process") -> None:
    from pypsrp.shell import SignalCode

    process.signal(SignalCode.TERMINATE)


def _pass_on(
    stdout: bytes, passed: int, on_line: Callable[[bytes], None] | None, *, last: bool
) -> int:
    end = len(stdout) if last else stdout.rfind(b"\n") + 1
    if on_line is not None:
        for line in stdout[passed:end].splitlines(keepends=True):
            on_line(line)
    return max(end, passed)


@contextmanager
def _translated(target: WinRmTarget, act: str) -> Iterator[None]:
    """Whatever pypsrp raises, as errors of Transom."""
    import requests
    from pypsrp.exceptions import AuthenticationError, WinRMError
    from spnego.exceptions import SpnegoError

    try:
        yield
    except (AuthenticationError, SpnegoError) as error:
        raise PermanentError(
            f"{target.name} does not let {target.user} in by WinRM",
            subject=target.name,
            hint="check user and password; it must be an administrator there",
        ) from error
    except requests.exceptions.SSLError as error:
        raise PermanentError(
            f"the certificate of {target.name} is not trusted",
            subject=target.name,
            hint="have its authority in $REQUESTS_CA_BUNDLE, or use port 5985, encrypted by Windows",
        ) from error
    except TimeoutError as error:
        raise TemporaryError(f"{target.name} did not {act} in time", subject=target.name) from error
    except (OSError, WinRMError) as error:  # requests' errors are OSErrors
        raise TemporaryError(
            f"cannot {act} on {target.name}: {type(error).__name__}",
            subject=target.name,
            hint="check the address, and on the host `winrm quickconfig`",
        ) from error
