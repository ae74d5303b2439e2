"""What a way to a Windows host can do: run a command, and carry files. SSH is one such way.

Paths are Windows paths. Whatever fails is an
error of `transom.errors`: temporary where the connection broke, permanent where the host said no.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from transom.errors import PermanentError
from transom.model.records import dataclass

MOST_SAID = 64 << 20
"""What a command may print; the longest answer, a diagnosis with its logs, is far below it."""
MOST_READ = 512 << 20
"""What a file that is read whole may hold; the largest is an archive of `collect`."""


@dataclass(frozen=True, slots=True)
class Completed:
    """A command that ended, with what it said."""

    code: int
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """A large file of this machine, read in pieces as it is sent."""

    size: int
    sha256: str
    chunks: Callable[[], Iterator[bytes]]


def must_be_bounded(name: str, *said: bytes | bytearray) -> None:
    """Raise where a host says more than any answer needs, before it fills this machine's memory."""
    if sum(map(len, said)) > MOST_SAID:
        raise PermanentError(
            f"{name} sends more than {MOST_SAID >> 20} MiB as one answer",
            subject=name,
            hint="look at what the command prints there",
        )


class Session(Protocol):
    """One open connection to one host."""

    @property
    def peer(self) -> str:
        """The address that this machine is connected to; empty where that is not the host's own."""
        ...

    async def run(
        self,
        command: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout_s: float,
        on_line: Callable[[bytes], None] | None = None,
    ) -> Completed:
        """Run a command to its end; each line it prints is passed on as it comes."""
        ...

    async def script(self, text: str, *, timeout_s: float) -> Completed:
        """Run a script in Windows PowerShell; an error in it is one line, and exit code 1."""
        ...

    async def read(self, path: str) -> bytes | None:
        """A small file's content, or None where there is no such file."""
        ...

    async def put(self, path: str, content: bytes) -> bool:
        """Have a file with that content, checked after writing; False where it already had it."""
        ...

    async def send(self, path: str, parcel: Parcel) -> bool:
        """Have a large file there, whole or not at all; whoever uses it checks its sum.

        False where it already had it.
        """
        ...

    async def make_directory(self, path: str) -> bool:
        """Have a directory; False where it was there."""
        ...

    async def names(self, path: str) -> tuple[str, ...]:
        """What a directory holds; nothing where it does not exist."""
        ...

    async def move(self, source: str, target: str) -> None:
        """Give a file another name on its volume, which nothing has; what runs it goes on."""
        ...

    async def remove_tree(self, path: str) -> None:
        """Have no such file or directory, whatever was in it."""
        ...

    async def remove_directory(self, path: str) -> bool:
        """Have no such directory if nothing is in it; False where something is."""
        ...

    async def wait_cut(self, *, timeout_s: float) -> None:
        """Return when the other end has gone, as in a reboot; TemporaryError where it stays."""
        ...

    async def close(self) -> None:
        """End the connection."""
        ...
