"""Bounds on what is read, and the error of a file that is beyond them."""

from typing import Protocol

from transom.errors import UsageError

FILE_BYTES = 1 << 30
ARCHIVE_BYTES = 8 << 30
JSON_BYTES = 256 << 20
TESTS = 200_000
TAG_BYTES = 8 << 20
DEPTH = 1_000
WORDS = 10_000
NAME_CHARACTERS = 2_000
MESSAGE_CHARACTERS = 2_000
MEMBERS = 100_000


class Readable(Protocol):
    """What results are read from: a file, a packed file, a member of an archive."""

    def read(self, size: int = -1, /) -> bytes:
        """At most so many bytes; none at the end."""
        ...


def refuse(file: str, reason: str, *, hint: str = "") -> UsageError:
    """The error of results that cannot be read."""
    return UsageError(f"cannot read results: {reason}", subject=file, hint=hint)


def bounded(text: str, most: int) -> str:
    """The text, cut to a length."""
    return text if len(text) <= most else text[: most - 1] + "…"
