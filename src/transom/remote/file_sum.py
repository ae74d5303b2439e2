"""A file of this machine: its sum and its size."""

import hashlib
from pathlib import Path

from transom.errors import UsageError
from transom.model.records import dataclass


@dataclass(frozen=True, slots=True)
class FileSum:
    """What a file turned out to be."""

    sha256: str
    size: int


def hash_file(path: Path) -> FileSum:
    """The sum and size of a local file."""
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256")
            return FileSum(digest.hexdigest(), stream.tell())
    except OSError as error:
        raise UsageError(f"cannot read {path}", subject=str(path)) from error
