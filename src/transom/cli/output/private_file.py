"""A file with a secret in it, which only its owner can read."""

import os
from pathlib import Path

from transom.errors import PermanentError

_PRIVATE = 0o600


def write_private(file: str, content: bytes) -> None:
    """Write a file that only its owner can read."""
    path = Path(file)
    try:
        path.unlink(missing_ok=True)
        with open(path, "xb", opener=_private) as stream:
            stream.write(content)
    except OSError as error:
        raise PermanentError(
            f"cannot write {file}: {error.strerror}", subject=file, hint="name another file"
        ) from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, _PRIVATE)
