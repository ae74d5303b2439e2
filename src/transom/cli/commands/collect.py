"""`transom collect`: what helps somebody else to look at a host, in one zip without secrets."""

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli.options import visits
from transom.cli.output import console
from transom.documents.nodes import CollectedArchive, CollectResult
from transom.errors import PermanentError, TransomError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transom.fleet.collect import Collected

SUMMARY = "Bring logs, configuration and state of a host in one zip; secrets are taken out."

_EXAMPLES = """\
examples:
  transom collect 10.0.0.21
  transom collect 10.0.0.21 --directory /tmp/for-support -o json
  transom collect -f fleet.yaml --pool web
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
    from datetime import UTC, datetime

    from transom.fleet.collect import collect_host

    visits.must_be_one(args)
    now = datetime.now(UTC)
    found = visits.visit_each(
        args,
        lambda place, connect, api, bring: collect_host(place, connect, api, bring=bring, now=now),
    )
    written, worst = [], 0
    for name, one in found.items():
        try:
            if isinstance(one, TransomError):
                raise one
            written.append((one, write(one, Path(args.directory))))
        except TransomError as error:
            worst = max(worst, error.exit_code)
            hint = f"\n  next: {error.hint}" if error.hint else ""
            print(f"{name}: {error.message}{hint}", file=sys.stderr)
    print_collected(written, args.output)
    return worst


def write(collected: "Collected", folder: Path) -> Path:
    """Write an archive that only its owner can read: whole, or not at all, and over no other file."""
    path, part = folder / collected.name, folder / f"{collected.name}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(path):
            raise PermanentError(f"{path} is already there", subject=str(path))
        with open(part, "xb", opener=_private) as stream:
            try:
                stream.write(collected.content)
                stream.flush()
                os.fsync(stream.fileno())
            except OSError:
                part.unlink()
                raise
        part.replace(path)
    except OSError as error:
        raise PermanentError(
            f"cannot write {path}: {error.strerror}", subject=str(path), hint="name another folder"
        ) from error
    return path


def _private(path: str, flags: int) -> int:
    # Windows has no such flag; there and here `x` alone follows no link either.
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), _PRIVATE)


def print_collected(written: "Sequence[tuple[Collected, Path]]", output: str) -> None:
    """Say where the archives are."""
    if output == "json":
        archives = tuple(
            CollectedArchive(
                host=collected.host,
                file=str(path),
                bytes=len(collected.content),
                sha256=collected.sha256,
            )
            for collected, path in written
        )
        console.print_json(CollectResult(archives=archives))
        return
    for collected, path in written:
        print(f"{collected.host}: {path} ({len(collected.content) / 1024:.0f} KiB)")
