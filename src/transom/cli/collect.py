"""`transom collect`: what helps somebody else to look at a host, in one zip without secrets."""

import asyncio
import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli import cluster_access, console, host_access, visits
from transom.cli.documents.nodes import CollectResult
from transom.errors import PermanentError

if TYPE_CHECKING:
    from transom.fleet.collect import Collected

SUMMARY = "Bring logs, configuration and state of a host in one zip; secrets are taken out."

_EXAMPLES = """\
examples:
  transom collect 10.0.0.21
  transom collect 10.0.0.21 --directory /tmp/for-support -o json
  transom doctor --archive transom-win-01-20260102T030400Z.zip

Tokens, keys, passwords and proxies' credentials are removed on the host; read it before you send it on.
exit codes: 0 written, 2 usage, 4 the host cannot be reached, 5 failed
"""
_PRIVATE = 0o600


def configure(parser: ArgumentParser) -> None:
    """Add the host and where the archive goes."""
    parser.epilog = _EXAMPLES
    visits.add_arguments(parser)
    parser.add_argument(
        "--directory", metavar="DIR", default=".", help="where to write it (default: here)"
    )


def run(args: Namespace) -> int:
    """Fetch the archive and write it."""
    from transom.fleet.collect import collect_host

    api = cluster_access.open_api_if_any(args)
    connect, bring = host_access.connect_of(args), visits.bring_of(args)

    async def collecting() -> "Collected":
        try:
            return await collect_host(connect, api, bring=bring)
        finally:
            if api is not None:
                await api.close()

    collected = asyncio.run(collecting())
    print_collected(collected, write(collected, Path(args.directory)), args.output)
    return 0


def write(collected: "Collected", folder: Path) -> Path:
    """Write an archive that only its owner can read."""
    path = folder / collected.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(collected.content)
    except OSError as error:
        raise PermanentError(
            f"cannot write {path}: {error.strerror}", subject=str(path), hint="name another folder"
        ) from error
    return path


def print_collected(collected: "Collected", path: Path, output: str) -> None:
    """Say where the archive is."""
    if output == "json":
        console.print_json(
            CollectResult(
                host=collected.host,
                file=str(path),
                bytes=len(collected.content),
                sha256=collected.sha256,
            )
        )
    else:
        print(f"{collected.host}: {path} ({len(collected.content) / 1024:.0f} KiB)")
