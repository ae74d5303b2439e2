"""What downloads need beside addresses, as arguments: private authorities, and headers from the environment."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from transom.cli.environment import environment

if TYPE_CHECKING:
    from transom.model.request import SourceAccess
    from transom.site.downloads import Fetchers


def add_arguments(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add a private authority, and headers from the environment."""
    parser.add_argument(
        "--ca-file", default="", metavar="PEM", help="trust these authorities as well"
    )
    parser.add_argument(
        "--header",
        nargs=3,
        action="append",
        default=[],
        metavar=("URL", "NAME", "VARIABLE"),
        help="send this header to that server, with the value of an environment variable",
    )


def access_of(ca_file: str, headers: Sequence[Sequence[str]]) -> "SourceAccess":
    """Give hosts that download for themselves the same trust and the same headers."""
    from transom.model.request import SourceAccess

    if not ca_file and not headers:
        return SourceAccess()
    from transom.site.downloads import source_access

    return source_access(environment(), ca_file, headers)


def fetchers_of(ca_file: str = "", headers: Sequence[Sequence[str]] = ()) -> "Fetchers":
    """Give the doors to artifacts, with these authorities and headers."""
    from transom.site.downloads import Fetchers

    return Fetchers(environment(), ca_file, headers)
