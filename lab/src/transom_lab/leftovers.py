"""Old folders of the cache: base prefixes and stand-ins of sources that have changed since.

Each is made anew where it is missing, so nothing is lost but time. Whoever uses one says so with `note_use`, under
its lock; `remove_old` spares what was used lately, and so what another process is just copying. Called where a new
folder has been made. Upstream's programs are never removed: they take long to build.
"""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from transom.errors import TemporaryError
from transom_lab.locks import exclusive
from transom_lab.scratch import scratch

KEPT = 4
"""That many of a kind stay, however old."""
AGE_S = 24 * 3600.0
"""What was used since then stays, however many there are."""


def note_use(folder: Path) -> None:
    """Remember that the folder is in use now."""
    os.utime(folder)


def remove_old(folders: Iterable[Path], *, locks: Path, now: float) -> list[Path]:
    """Remove those of one kind that are neither among the last used nor used lately."""
    by_use = sorted(folders, key=_last_use, reverse=True)
    removed = []
    for folder in by_use[KEPT:]:
        try:
            with exclusive(locks / f"{folder.name}.lock", timeout_s=0):
                if now - _last_use(folder) > AGE_S:
                    _remove(folder)
                    removed.append(folder)
        except TemporaryError:  # somebody is making or taking it
            continue
    return removed


def _last_use(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _remove(folder: Path) -> None:
    """Out of its place first, so that nobody finds half of it."""
    if folder.exists():
        with scratch(folder) as made:
            folder.rename(made / folder.name)
            shutil.rmtree(made / folder.name)
