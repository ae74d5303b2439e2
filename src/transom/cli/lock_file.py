"""Where a fleet's lock lies, and how it is read and replaced: whole or not at all.

Used by every command that needs artifacts pinned.
"""

import os
from pathlib import Path

from transom.cli import fleet_file
from transom.errors import UsageError
from transom.model.lock import Lock
from transom.recipe.lock_document import read_lock, write_lock

NAME = "transom.lock"


def locate(fleet: str, lock: str | None) -> Path:
    """The named file, else `transom.lock` beside the fleet; for standard input, right here."""
    if lock:
        return Path(lock)
    return fleet_file.folder(fleet) / NAME


def load(path: Path) -> Lock:
    """The lock in that file, or an empty one where there is no file."""
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
