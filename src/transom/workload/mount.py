"""Paths inside Windows containers, as the kubelet and the runtime read them."""

import re

_DRIVE = re.compile(r"[A-Za-z]:(.*)", re.DOTALL)
_PIPES = ("\\\\.\\pipe\\", "//./pipe/")


def windows_path(path: str) -> str:
    """The path in one form to compare by: backslashes, lower case, with its drive."""
    plain = path.replace("/", "\\").rstrip("\\").lower()
    return f"c:{plain}" if plain.startswith("\\") else plain


def is_pipe(path: str) -> bool:
    """Whether a path is the name of a pipe."""
    return path.lower().startswith(_PIPES)


def is_mountable(path: str) -> bool:
    """Whether the runtime can mount there: not at C: itself, and not behind a second colon.

    The kubelet puts C: before a path without a drive, and the root of C: before a relative one.
    """
    if is_pipe(path):
        return True
    if ":" not in path:
        return bool(path.strip("/\\"))
    drive = _DRIVE.fullmatch(path)
    if drive is None or ":" in drive[1]:
        return False
    return path[0].lower() != "c" or bool(drive[1].strip("/\\"))
