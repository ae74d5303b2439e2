"""Reading what a person names on the command line: files and standard input."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from transom.errors import UsageError
from transom.model.fleet import Fleet


def add_fleet_argument(parser: ArgumentParser) -> None:
    """The `-f` that every command about a fleet has."""
    parser.add_argument(
        "-f",
        "--filename",
        metavar="FILE",
        default="fleet.yaml",
        help="the fleet document; - is standard input (default: fleet.yaml)",
    )


def read_fleets(name: str) -> list[Fleet]:
    """The fleets in a file, or on standard input where the name is `-`."""
    from transom.spec.fleet import read_fleets as read

    return read(read_input(name), name=name)


def read_input(name: str) -> bytes:
    """The bytes of a file, or of standard input."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise UsageError(
            f"cannot read {name}",
            subject=name,
            hint="name a file with -f, or - for standard input",
        ) from error
