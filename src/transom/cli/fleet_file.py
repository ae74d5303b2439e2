"""The file that `-f` names: how it is asked for and read."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from transom.errors import UsageError
from transom.model.fleet import Fleet

DEFAULT = "fleet.yaml"


def add_argument(parser: ArgumentParser) -> None:
    """The `-f` that every command about a fleet has."""
    parser.add_argument(
        "-f",
        "--filename",
        metavar="FILE",
        default=DEFAULT,
        help=f"the fleet document; - is standard input (default: {DEFAULT})",
    )


def read(file: str) -> list[Fleet]:
    """The fleets in a file, or on standard input for `-`."""
    from transom.spec.fleet import read_fleets

    return read_fleets(read_bytes(file), name="standard input" if file == "-" else file)


def read_bytes(file: str) -> bytes:
    """The bytes of a file, or of standard input for `-`."""
    if file == "-":
        if sys.stdin is None:
            raise UsageError("standard input is closed", hint="name a file with -f")
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise UsageError(
            f"cannot read {file}",
            subject=file,
            hint="name a file, or - for standard input",
        ) from error


def folder(file: str) -> Path:
    """What paths in that file are relative to."""
    return Path() if file == "-" else Path(file).parent
