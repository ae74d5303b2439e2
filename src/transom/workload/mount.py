"""Paths inside Windows containers, as the kubelet and the runtime read them.

Called by the rules about mounts.
"""

import re

_DRIVE = re.compile(r"[A-Za-z]:(.*)", re.DOTALL)
_PIPES = ("\\\\.\\pipe\\", "//./pipe/")


def windows_path(path: str) -> str:
    """The path in one form to compare by: backslashes, lower case, with its drive."""
    plain = path.replace("/", "\\").rstrip("\\").lower()
    return f"c:{plain}" if plain.startswith("\\") else plain


def is_mountable(path: str) -> bool:
    """Whether the runtime can mount there: not at C: itself, and not at a relative path."""
    if path.lower().startswith(_PIPES):
        return True
    if path.startswith(("/", "\\")):
        return bool(path.strip("/\\"))
    drive = _DRIVE.fullmatch(path)
    if drive is None:
        return False
    return path[0].lower() != "c" or bool(drive[1].strip("/\\"))
