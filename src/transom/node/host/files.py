"""Whole-or-nothing file changes, composed from a disk's primitives.

Every implementation of a host uses this one composition, so what the simulated disk proves about
power cuts holds for the sequence of calls made on Windows.
"""

import ntpath
from collections.abc import Iterable
from io import BufferedIOBase

from transom.errors import PermanentError
from transom.node.host.nouns.files import Disk, ReadFiles
from transom.node.host.values import PathKind

BESIDE = ".transom"
"""Ending of the file that is written beside its target before it takes the target's name."""
PART = ".part"
"""Ending of a file that is brought from elsewhere, as long as its bytes were not verified."""


class SafeFiles:
    """Files of a disk, written beside, flushed and renamed."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def kind(self, path: str) -> PathKind:
        return self._disk.kind(path)

    def read(self, path: str) -> bytes:
        return self._disk.read(path)

    def open(self, path: str) -> BufferedIOBase:
        return self._disk.open(path)

    def sha256(self, path: str) -> str:
        return self._disk.sha256(path)

    def size(self, path: str) -> int:
        return self._disk.size(path)

    def entries(self, path: str) -> tuple[str, ...]:
        return self._disk.entries(path)

    def acl(self, path: str) -> str:
        return self._disk.acl(path)

    def write(
        self, path: str, content: bytes | Iterable[bytes], *, acl: str = "", secret: bool = False
    ) -> None:
        """Write beside, flush, rename; access is set while the file is still empty."""
        del secret  # nothing is recorded at this level
        beside = path + BESIDE
        self._disk.create(beside, acl=acl)
        for chunk in [content] if isinstance(content, bytes) else content:
            self._disk.append(beside, chunk)
        self._disk.flush(beside)
        self._disk.rename(beside, path)

    def keep(self, path: str) -> None:
        """Nothing is recorded at this level."""

    def flush(self, path: str) -> None:
        self._disk.flush(path)

    def append(self, path: str, data: bytes) -> None:
        self._disk.append(path, data)

    def move(self, source: str, target: str) -> None:
        self._disk.flush(source)
        self._disk.rename(source, target)

    def remove(self, path: str, *, secret: bool = False) -> None:
        """Remove a file and what a broken write may have left beside it."""
        del secret
        self._disk.remove(path + BESIDE)
        self._disk.remove(path)

    def link(self, path: str, target: str) -> None:
        self._disk.remove(path)
        self._disk.link(path, target)

    def make_directory(self, path: str) -> None:
        """Make a directory and those above it that are missing."""
        for directory in reversed(self.missing(path)):
            self._disk.make_directory(directory)

    def missing(self, path: str) -> list[str]:
        """The directories that would have to be made for this one, deepest first."""
        found = []
        while (kind := self._disk.kind(path)) is PathKind.ABSENT:
            found.append(path)
            parent = ntpath.dirname(path)
            if parent == path:
                break
            path = parent
        if kind is PathKind.FILE:
            raise PermanentError(
                f"cannot make a directory at {path}: there is a file",
                subject=path,
                hint="Move the file away.",
            )
        return found

    def remove_tree(self, path: str) -> None:
        """Remove what is below, then the directory; a link goes, what it points to stays."""
        kind = self._disk.kind(path)
        if kind is PathKind.DIRECTORY:
            for name in self._disk.entries(path):
                self.remove_tree(ntpath.join(path, name))
            self._disk.remove_directory(path)
        elif kind is not PathKind.ABSENT:
            self._disk.remove(path)

    def set_acl(self, path: str, sddl: str) -> None:
        self._disk.set_acl(path, sddl)


def is_whole(files: ReadFiles, path: str, *, at_rest: bool) -> bool:
    """Whether a file that others wrote is there and has its last line: a power cut may keep any part of it.

    Where none can have come between, `at_rest`, the end of the last line is nobody's business.
    """
    if files.kind(path) is not PathKind.FILE:
        return False
    content = files.read(path)
    return content.endswith(b"\n") or (at_rest and content != b"")
