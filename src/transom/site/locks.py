"""A fleet's lock: where it is kept, how it is read and replaced, whole or not at all."""

import os
from pathlib import Path

from transom.errors import UsageError
from transom.model.fleet import Fleet
from transom.model.lock import Lock
from transom.model.records import dataclass
from transom.recipe.lock_document import read_lock, write_lock

NAME = "transom.lock"


@dataclass(frozen=True, kw_only=True)
class LockedFleets:
    """The fleets of one file and the lock they are installed by; paths in the file begin at `folder`."""

    file: str
    folder: Path
    fleets: tuple[Fleet, ...]
    lock_path: Path
    lock: Lock


def load(path: Path) -> Lock:
    """Read the lock in that file; where there is no file it is empty."""
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return Lock()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read the lock {path}",
            subject=str(path),
            hint="name the lock with --lock; a damaged one is taken back from version control",
        ) from error
    return read_lock(text, file=str(path))


def save(path: Path, lock: Lock) -> None:
    """Put the lock in that file's place."""
    content = write_lock(lock).encode()
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UsageError(
            f"cannot write the lock {path}",
            subject=str(path),
            hint="name a file in a folder you may write to with --lock",
        ) from error
