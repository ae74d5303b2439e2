"""The parser of every command: wrong arguments are an error like any other, as words or as JSON."""

import argparse
import os
import sys
from typing import TYPE_CHECKING, NoReturn

from transom.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


_DEFAULT_COLUMNS = 80


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal; asked in a way that loads nothing.

    argparse makes a formatter for every argument that is added, and by default loads the modules
    for archives and compression to learn the width.
    """

    def __init__(self, prog: str) -> None:
        try:
            columns = os.get_terminal_size().columns
        except OSError:
            columns = _DEFAULT_COLUMNS
        super().__init__(prog, width=columns - 2)


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of ending the program."""

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments."""
        raise UsageError(message, hint=f"`{self.prog} --help` shows what it takes")

    def print_help(self, file: "SupportsWrite[str] | None" = None) -> None:
        """Print help, and fail where it cannot be written: argparse itself would not notice."""
        print(self.format_help(), end="", file=file)
        sys.stdout.flush()
