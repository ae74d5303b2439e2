"""Folders in which something for the cache is made, so that it appears there whole or not at all.

Each is beside its target, named after it, and used under the target's lock: one whose lock is free was left
by a process that was killed.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from transom.errors import TemporaryError
from transom_lab.locks import exclusive
from transom_lab.namespaces import Room

_PREFIX = ".making-"


def lock_file(cache: Path, target: Path) -> Path:
    """The lock of whoever makes, takes or removes `target`, a folder or file of the cache."""
    return cache / "locks" / f"{target.name}.lock"


@contextmanager
def scratch(target: Path) -> Iterator[Path]:
    """A folder to make `target` in, removed afterwards; call under the target's lock."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in target.parent.glob(f"{_PREFIX}{target.name}-*"):
        _remove(left)
    prefix = f"{_PREFIX}{target.name}-"
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=prefix) as folder:
        yield Path(folder)


def clear_abandoned(cache: Path) -> None:
    """End the processes and remove the files of what nobody makes any more."""
    for folder in cache.glob(f"*/{_PREFIX}*"):
        target = folder.with_name(folder.name.removeprefix(_PREFIX).rpartition("-")[0])
        try:
            with exclusive(lock_file(cache, target), timeout_s=0):
                _remove(folder)
        except TemporaryError:  # somebody is making it
            continue


def _remove(folder: Path) -> None:
    """A base prefix is made in a room below its folder."""
    Room(folder).close()
    shutil.rmtree(folder, ignore_errors=True)
