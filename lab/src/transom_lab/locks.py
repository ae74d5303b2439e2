"""Locks between processes: two `up` at once, two builds of the same program."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from transom.errors import TemporaryError

_POLL_S = 0.2


@contextmanager
def exclusive(path: Path, *, timeout_s: float) -> Iterator[None]:
    """Hold the lock file `path`; the kernel frees it when the holder dies, however it dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + timeout_s
    while (handle := _acquired(path)) is None:
        if time.monotonic() > deadline:
            raise TemporaryError(
                f"cannot lock {path}: another process has held it for {timeout_s:.0f} s",
                subject=str(path),
                hint="wait for the other `transom lab` to finish, or end it",
            )
        time.sleep(_POLL_S)
    try:
        yield
    finally:
        os.close(handle)


def is_held(path: Path) -> bool:
    """Whether another process holds the lock just now."""
    if path.exists() and (handle := _acquired(path)) is not None:
        os.close(handle)
        return False
    return path.exists()


def _acquired(path: Path) -> int | None:
    """The locked file, or None; a file that its holder has removed since it was opened locks nothing."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(handle), path.stat()):
            return handle
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(handle)
    return None
