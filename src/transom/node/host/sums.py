"""SHA-256 of files of this machine: each file is read once, as long as it is the same file.

It knows nothing of Windows itself. A run asks for the sums of the same
programs before a change and after it, and by the name they come under and the one they get.
"""

import os
import time
from collections.abc import Callable
from io import BufferedIOBase

# Large: each part costs a turn of the interpreter.
_PART_BYTES = 8 << 20
# What was written just now may be written again without another time of its last change.
_SETTLED_NS = 2_000_000_000

Mark = tuple[int, int, int, int]  # volume, number, bytes, last change


class Sums:
    """Sums by what tells a file from any other and from itself after a change, whatever its name."""

    def __init__(self) -> None:
        self._known: dict[Mark, str] = {}

    def of(self, opened: Callable[[], BufferedIOBase]) -> str:
        """The sum of a file, in hexadecimal."""
        with opened() as stream:
            mark = _mark(stream)
            *_, size, changed_ns = mark
            if time.time_ns() - changed_ns < _SETTLED_NS:
                return _sum(stream, size)
            if mark not in self._known:
                self._known[mark] = _sum(stream, size)
            return self._known[mark]


def _sum(stream: BufferedIOBase, size: int) -> str:
    import hashlib  # brings OpenSSL with it, which few verbs need

    found = hashlib.sha256()
    part = memoryview(bytearray(min(size, _PART_BYTES) or 1))
    while count := stream.readinto(part):
        found.update(part[:count])
    return found.hexdigest()


def _mark(stream: BufferedIOBase) -> Mark:
    found = os.fstat(stream.fileno())
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
