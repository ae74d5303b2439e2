"""Reading the file that `-f` names."""

import sys
from pathlib import Path

from transom.errors import UsageError
from transom.model.fleet import Fleet
from transom.spec.fleet import read_fleets


def read(file: str) -> list[Fleet]:
    """The fleets in a file, or on standard input for `-`."""
    if file == "-":
        return read_fleets(sys.stdin.buffer.read(), name="standard input")
    try:
        content = Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the fleet {file}", subject=file) from error
    return read_fleets(content, name=file)


def folder(file: str) -> Path:
    """What paths in that file are relative to."""
    return Path() if file == "-" else Path(file).parent
