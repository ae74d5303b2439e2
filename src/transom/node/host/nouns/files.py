"""Files and directories, and the disk below them."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from io import BufferedIOBase
from typing import Protocol

from transom.node.host.values import (
    PathKind,
)


class ReadFiles(Protocol):
    """Files and directories, for looking."""

    def kind(self, path: str) -> PathKind:
        """Say what is at the path."""

    def read(self, path: str) -> bytes:
        """Give the whole content of a file."""

    def open(self, path: str) -> BufferedIOBase:
        """Open a file for reading by parts."""

    def sha256(self, path: str) -> str:
        """Give the SHA-256 of a file, in hexadecimal."""

    def size(self, path: str) -> int:
        """Give the length of a file in bytes."""

    def entries(self, path: str) -> tuple[str, ...]:
        """Give the names in a directory, sorted; raise PermanentError where there is none."""

    def acl(self, path: str) -> str:
        """Give owner and access of a path as SDDL."""


class Disk(ReadFiles, Protocol):
    """The primitives of a file system; only `flush` promises that something outlives a power cut.

    Creating replaces what is there by an empty file, with that access where one is given.
    """

    def create(self, path: str, *, acl: str = "") -> None:
        """Make an empty file."""

    def append(self, path: str, data: bytes) -> None:
        """Add bytes at the end of a file, which is made where it is missing."""

    def flush(self, path: str) -> None:
        """Return when the file, its name and its content would outlive a power cut."""

    def rename(self, source: str, target: str) -> None:
        """Give a file another name, in one instant, replacing what had it; raise InUse where that runs.

        A file that runs itself is given another name on its own volume all the same.
        """

    def remove(self, path: str, *, protected: bool = False) -> None:
        """Remove a file or link, even a protected one where asked; nothing happens where there is none."""

    def discard(self, path: str) -> bool:
        """Remove a file that no process runs; False where one does, which is left alone."""

    def remove_at_boot(self, path: str) -> None:
        """Have a file removed when Windows starts the next time."""

    def make_directory(self, path: str) -> None:
        """Make one directory whose parent exists."""

    def remove_directory(self, path: str, *, protected: bool = False) -> None:
        """Remove an empty directory, where asked even one whose access lets nobody delete it."""

    def link(self, path: str, target: str) -> None:
        """Make a symbolic link to a file where nothing is."""

    def set_acl(self, path: str, sddl: str) -> None:
        """Set the access of a path."""

    def lock(self, path: str, holder: str) -> AbstractContextManager[None]:
        """Hold a file that no other process can hold; raise TemporaryError naming the holder."""


class Files(ReadFiles, Protocol):
    """Files and directories, for changing; every write is whole or did not happen."""

    def write(
        self, path: str, content: bytes | Iterable[bytes], *, acl: str = "", secret: bool = False
    ) -> None:
        """Put a file in place; its directory must exist. Secret content is never recorded."""

    def keep(self, path: str) -> None:
        """Record what is there before an outside program changes, makes or removes that file."""

    def flush(self, path: str) -> None:
        """Return when a file that an outside program wrote would outlive a power cut."""

    def append(self, path: str, data: bytes) -> None:
        """Add to a file that may be half there, such as a download."""

    def move(self, source: str, target: str) -> None:
        """Give a finished file its name, replacing what had it."""

    def remove(self, path: str, *, secret: bool = False) -> None:
        """Remove a file if it is there."""

    def link(self, path: str, target: str) -> None:
        """Have a symbolic link to a file, in place of whatever had its name."""

    def make_directory(self, path: str) -> None:
        """Make a directory and those above it that are missing."""

    def set_acl(self, path: str, sddl: str) -> None:
        """Set the access of a path."""


class UndoFiles(Files, Protocol):
    """The same, with what only an undo may do."""

    def remove_tree(self, path: str) -> None:
        """Remove a directory with all below it, whatever its access says, following no link."""

    def sweep(self) -> None:
        """Remove programs that were replaced while they ran and have ended since."""
