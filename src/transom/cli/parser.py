"""The parser of every command: wrong arguments are an error like any other, as words or as JSON."""

import argparse
import sys
from typing import TYPE_CHECKING, NoReturn

from transom.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of ending the program."""

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments."""
        raise UsageError(message, hint=f"`{self.prog} --help` shows what it takes")

    def print_help(self, file: "SupportsWrite[str] | None" = None) -> None:
        """Print help, and fail where it cannot be written: argparse itself would not notice."""
        print(self.format_help(), end="", file=file)
        sys.stdout.flush()
