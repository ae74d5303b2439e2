"""The way to the very machine this runs on: programs by argument list, files by their paths.

Used where a fleet's host says `connection: {local: {}}`, for whoever has no way in but its console.
It cannot outlive a reboot of the host, so it makes none.
"""

import asyncio
import hashlib
import os
import shutil
from asyncio import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.remote import powershell
from transom.remote.session import Completed, Parcel, must_be_bounded

_REBOOT = "shutdown"
_LINE = 16 * 1024 * 1024
_PART = ".part"


async def connect(name: str) -> "LocalSession":
    """Open it; only Windows can be a node."""
    if os.name != "nt":
        raise UsageError(
            f"{name} is reached by `local`, and this machine does not run Windows",
            subject=name,
            hint="run transom on the host itself, or reach it by ssh or winrm",
        )
    return LocalSession()


class LocalSession:
    """This machine in use; see `remote.session.Session`."""

    @property
    def peer(self) -> str:
        """Unknown: nothing is connected."""
        return ""

    async def run(
        self,
        command: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout_s: float,
        on_line: Callable[[bytes], None] | None = None,
    ) -> Completed:
        """Run a program; one that is not there ends with 1, as at a prompt."""
        if command[0] == _REBOOT:
            raise TemporaryError(
                "this machine needs a reboot before it can go on",
                hint="reboot it and run the same command again",
            )
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                limit=_LINE,
            )
        except OSError as error:
            return Completed(1, b"", str(error).encode())
        try:
            async with asyncio.timeout(timeout_s):
                return await _ended(process, stdin, on_line)
        except TimeoutError as error:
            raise TemporaryError(f"{command[0]} did not end in time") from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    async def script(self, text: str, *, timeout_s: float) -> Completed:
        """Run a PowerShell script."""
        return await self.run(powershell.command(text), timeout_s=timeout_s)

    async def read(self, path: str) -> bytes | None:
        """Read a file whole."""
        return await asyncio.to_thread(_read, Path(path))

    async def put(self, path: str, content: bytes) -> bool:
        """Write beside and rename: the file is whole or as it was."""
        if await self.read(path) == content:
            return False
        return await asyncio.to_thread(_write, Path(path), iter((content,)))

    async def send(self, path: str, parcel: Parcel) -> bool:
        """Write a large file beside, in pieces, and rename."""
        if await asyncio.to_thread(_sum, Path(path)) == parcel.sha256:
            return False
        return await asyncio.to_thread(_write, Path(path), parcel.chunks())

    async def make_directory(self, path: str) -> bool:
        """Make one directory; the one above it must be there."""
        return await asyncio.to_thread(_make_directory, Path(path))

    async def names(self, path: str) -> tuple[str, ...]:
        """List a directory."""
        return await asyncio.to_thread(_names, Path(path))

    async def move(self, source: str, target: str) -> None:
        """Rename a file."""
        await asyncio.to_thread(_move, Path(source), Path(target))

    async def remove_tree(self, path: str) -> None:
        """Remove a file or a directory with all that is in it."""
        await asyncio.to_thread(_remove_tree, Path(path))

    async def remove_directory(self, path: str) -> bool:
        """Remove a directory only if nothing is in it."""
        return await asyncio.to_thread(_remove_directory, Path(path))

    async def wait_cut(self, *, timeout_s: float) -> None:
        """Say that it stays: whoever waits here would go with the machine."""
        raise TemporaryError(f"this machine is still there after {timeout_s:.0f} s")

    async def close(self) -> None:
        """Nothing is open."""


async def _ended(
    process: subprocess.Process, stdin: bytes, on_line: Callable[[bytes], None] | None
) -> Completed:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    said = asyncio.create_task(process.stderr.read())
    with suppress(ConnectionError):  # it may end without reading
        process.stdin.write(stdin)
        await process.stdin.drain()
    process.stdin.close()
    stdout = bytearray()
    while line := await process.stdout.readline():
        stdout += line
        must_be_bounded("this machine", stdout)
        if on_line is not None:
            on_line(line)
    return Completed(await process.wait(), bytes(stdout), await said)


def _read(path: Path) -> bytes | None:
    with _translated("read", path):
        return path.read_bytes() if path.is_file() else None


def _sum(path: Path) -> str:
    with _translated("read", path):
        if not path.is_file():
            return ""
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


def _write(path: Path, chunks: Iterator[bytes]) -> bool:
    part = path.with_name(path.name + _PART)
    with _translated("write", path):
        with part.open("wb") as stream:
            for chunk in chunks:
                stream.write(chunk)
        part.replace(path)
    return True


def _make_directory(path: Path) -> bool:
    with _translated("make", path):
        if path.is_dir():
            return False
        path.mkdir()
        return True


def _names(path: Path) -> tuple[str, ...]:
    with _translated("list", path):
        return tuple(sorted(item.name for item in path.iterdir())) if path.is_dir() else ()


def _move(source: Path, target: Path) -> None:
    with _translated("move", source):
        source.rename(target)


def _remove_tree(path: Path) -> None:
    with _translated("remove", path):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _remove_directory(path: Path) -> bool:
    with _translated("remove", path):
        with suppress(OSError):  # something is in it, or it is not there
            path.rmdir()
        return not path.exists()


@contextmanager
def _translated(act: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise PermanentError(
            f"cannot {act} {path}: {error.strerror}",
            subject=str(path),
            hint="look whether the disk is full, and whether this is an elevated prompt",
        ) from error
