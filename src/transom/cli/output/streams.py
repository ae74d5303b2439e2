"""Standard streams that are missing, cannot show a character, or lose their reader."""

import errno
import io
import os
import sys

# What a pipe without reader, a full disk and a broken device answer to a write. Files that
# commands write fail under their own names, as errors of the user.
_UNWRITABLE = (errno.EPIPE, errno.ENOSPC, errno.EIO)


def prepare() -> None:
    """Make both outputs writable: a closed one goes nowhere, an odd character is escaped."""
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def abandon_output() -> None:
    """Let what is still to be written to standard output go nowhere, now and at exit."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):  # it is no file, so nothing will be flushed at exit
        return
    with _nowhere() as nowhere:
        os.dup2(nowhere.fileno(), descriptor)


def is_output_failure(error: OSError) -> bool:
    """Whether it is standard output that could not be written."""
    return error.filename is None and error.errno in _UNWRITABLE


def _nowhere() -> io.TextIOWrapper:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - a device; it stays open
