"""What downloads need beside addresses, as arguments: private authorities, and headers from the environment.

Used by every command whose hosts or whose own machine download. Nothing is reached for here.
"""

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from transom.errors import UsageError
from transom.model.request import SourceAccess, SourceHeader

if TYPE_CHECKING:
    from transom.remote.https import Header


def add_arguments(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """A private authority, and headers from the environment."""
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


def access_of(ca_file: str, headers: Sequence[Sequence[str]]) -> SourceAccess:
    """The same trust and headers, for hosts that download themselves."""
    return SourceAccess(
        authorities=_authorities(ca_file),
        headers=tuple(
            SourceHeader(origin=item.origin, name=item.name, value=item.value)
            for item in headers_of(headers)
        ),
    )


def headers_of(headers: Sequence[Sequence[str]]) -> "list[Header]":
    """The headers with their values, each checked."""
    environ: Mapping[str, str] = os.environ  # noqa: TID251 - read here and handed down
    return [_header(environ, *header) for header in headers]


def _authorities(file: str) -> str:
    if not file:
        return ""
    try:
        return Path(file).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read certificates from {file}", subject=file) from error


def _header(environ: Mapping[str, str], url: str, name: str, variable: str) -> "Header":
    from transom.remote.https import Header

    if variable not in environ:
        raise UsageError(
            f"the environment has no variable {variable!r} for header {name}",
            hint="name the variable that holds the value, never the value itself",
        )
    return Header(url, name, environ[variable])
