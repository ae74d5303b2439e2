"""Whole-or-nothing file changes, composed from a disk's primitives.

Every implementation of a host uses this one composition, so what the simulated disk proves about
power cuts holds for the sequence of calls made on Windows.
"""

import ntpath
from collections.abc import Iterable
from io import BufferedIOBase

from transom.errors import InUse, PermanentError
from transom.node.host.nouns.files import Disk, ReadFiles
from transom.node.host.values import PathKind
from transom.node.layout import Layout

BESIDE = ".transom"
"""Ending of the file that is written beside its target before it takes the target's name."""
PART = ".part"
"""Ending of a file that is brought from elsewhere, as long as its bytes were not verified."""


class SafeFiles:
    """Files of a disk, written beside, flushed and renamed.

    A program that runs is moved aside for its successor. What lies in that folder is waste: its
    content is in the journal's copies, so it may go at any time.
    """

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._old = Layout().old

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
        self._take_place(beside, path)

    def keep(self, path: str) -> None:
        """Nothing is recorded at this level."""

    def flush(self, path: str) -> None:
        self._disk.flush(path)

    def append(self, path: str, data: bytes) -> None:
        self._disk.append(path, data)

    def move(self, source: str, target: str) -> None:
        self._disk.flush(source)
        self._take_place(source, target)

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
        """Remove what is below, then the directory; a link goes, what it points to stays.

        Nobody asks for less than the whole of it, so what its access protects goes too, such as the
        files of image layers.
        """
        kind = self._disk.kind(path)
        if kind is PathKind.DIRECTORY:
            for name in self._disk.entries(path):
                self.remove_tree(ntpath.join(path, name))
            self._disk.remove_directory(path, protected=True)
        elif kind is not PathKind.ABSENT:
            self._disk.remove(path, protected=True)

    def set_acl(self, path: str, sddl: str) -> None:
        self._disk.set_acl(path, sddl)

    def sweep(self) -> None:
        """Remove what was moved aside and is run by nothing any more."""
        self._sweep(self._old)

    def _sweep(self, path: str) -> None:
        kind = self._disk.kind(path)
        if kind is PathKind.DIRECTORY:
            for name in self._disk.entries(path):
                self._sweep(ntpath.join(path, name))
            if not self._disk.entries(path):
                self._disk.remove_directory(path)
        elif kind is not PathKind.ABSENT:
            self._disk.discard(path)

    def _take_place(self, source: str, target: str) -> None:
        """Give a file its name; a program that runs goes on under another one."""
        try:
            self._disk.rename(source, target)
        except InUse:
            aside = self._aside(target)
            self._disk.rename(target, aside)
            self._disk.rename(source, target)
            self._disk.remove_at_boot(aside)

    def _aside(self, path: str) -> str:
        """A free name in the folder of what was moved aside, which is made where it is missing."""
        self.make_directory(self._old)
        name, number = ntpath.join(self._old, ntpath.basename(path)), 1
        while self._disk.kind(f"{name}.{number}") is not PathKind.ABSENT:
            number += 1
        return f"{name}.{number}"


def is_whole(files: ReadFiles, path: str, *, at_rest: bool) -> bool:
    """Whether a file that others wrote is there and has its last line: a power cut may keep any part of it.

    Where none can have come between, `at_rest`, the end of the last line is nobody's business.
    """
    if files.kind(path) is not PathKind.FILE:
        return False
    content = files.read(path)
    return content.endswith(b"\n") or (at_rest and content != b"")
