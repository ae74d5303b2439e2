r"""Windows path forms on a prefix: `C:\k\x`, `C:/k/x`, `/C:/k/x` and relative ones.

Names are found without regard to case, as Windows does; only `C:` exists.
"""

import os
import re
from pathlib import Path, PurePosixPath

HOME = "/C:/Users/Administrator"

_DRIVE = re.compile(r"/?([A-Za-z]):(?:/|$)")


class NoSuchDriveError(ValueError):
    """The path names a drive the host does not have."""


def canonical(path: str) -> str:
    """Write any form as `/C:/...`, with `.` and `..` resolved; `/` is the list of drives."""
    plain = path.replace("\\", "/")
    match = _DRIVE.match(plain)
    if match:
        drive, rest = match.group(1).upper(), plain[match.end() :]
    elif plain.startswith("/"):
        drive, rest = "", plain
        if not plain.strip("/"):
            return "/"
        # As Windows' own server does: a rooted path without a drive is on the current one.
        drive = "C"
    else:
        return canonical(f"{HOME}/{plain}")
    if drive != "C":
        raise NoSuchDriveError(path)
    parts: list[str] = []
    for part in rest.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return str(PurePosixPath("/C:/", *parts))


def locate(path: str, drive_c: Path) -> Path:
    """The file of the machine behind a Windows path; the part that does not exist is kept as written."""
    where = drive_c
    for part in PurePosixPath(canonical(path)).parts[2:]:
        where /= _actual_name(where, part)
    return where


def display(file: Path, drive_c: Path) -> str:
    """The `/C:/...` form of a file below the system drive."""
    return str(PurePosixPath("/C:/", *file.relative_to(drive_c).parts))


def _actual_name(folder: Path, name: str) -> str:
    if os.path.lexists(folder / name):
        return name
    try:
        entries = [entry.name for entry in folder.iterdir()]
    except OSError:
        return name
    wanted = name.casefold()
    return next((entry for entry in entries if entry.casefold() == wanted), name)
