"""How commands download: proxies and headers from the environment, and progress on standard error.

Used by every command that pins or brings artifacts.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from transom.cli import lock_report
from transom.errors import UsageError
from transom.model.request import SourceAccess, SourceHeader
from transom.recipe.lock import PinnableArtifact
from transom.remote.download import Downloader
from transom.remote.https import Header, Https, Proxy


class Fetchers:
    """One downloader for each way out: fleets may have proxies of their own."""

    def __init__(self, ca_file: str = "", headers: Sequence[Sequence[str]] = ()) -> None:
        self._environ: Mapping[str, str] = os.environ  # noqa: TID251 - read here and handed down
        self._ca_file = ca_file
        self._headers = [_header(self._environ, *header) for header in headers]
        self._made: dict[tuple[str, tuple[str, ...]], Downloader] = {}

    def __call__(self, pinnable: PinnableArtifact) -> Downloader:
        """The downloader for an artifact."""
        way = (pinnable.proxy, pinnable.no_proxy)
        if way not in self._made:
            proxy = Proxy.of(self._environ, url=pinnable.proxy, no_proxy=pinnable.no_proxy)
            https = Https(ca_file=self._ca_file, proxy=proxy, headers=self._headers)
            self._made[way] = Downloader(https)
        return self._made[way]

    def access(self) -> SourceAccess:
        """The same trust and headers, for hosts that download themselves."""
        return SourceAccess(
            authorities=_authorities(self._ca_file),
            headers=tuple(
                SourceHeader(origin=item.origin, name=item.name, value=item.value)
                for item in self._headers
            ),
        )


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


def _authorities(file: str) -> str:
    if not file:
        return ""
    try:
        return Path(file).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read certificates from {file}", subject=file) from error


def _header(environ: Mapping[str, str], url: str, name: str, variable: str) -> Header:
    if variable not in environ:
        raise UsageError(
            f"the environment has no variable {variable!r} for header {name}",
            hint="name the variable that holds the value, never the value itself",
        )
    return Header(url, name, environ[variable])


class ProgressLine:
    """One artifact's progress on standard error: live on a terminal, else where it begins."""

    def __init__(self, pinnable: PinnableArtifact) -> None:
        self._name = f"{pinnable.key.id} {pinnable.key.version}"
        self._live = sys.stderr.isatty()
        self._shown = ""

    def __call__(self, done: int, total: int | None) -> None:
        """Say how far it is."""
        of = f" of {lock_report.size(total)}" if total else ""
        line = f"{self._name}: {lock_report.size(done)}{of}"
        if self._live and line != self._shown:
            end = "\n" if done == total else ""
            print(f"\r\033[K{line}", end=end, file=sys.stderr, flush=True)
        elif not self._shown:
            print(f"{self._name}: downloading{of.replace(' of', '')}", file=sys.stderr)
        self._shown = line
