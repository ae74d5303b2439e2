"""The files that `-f` names, and the Client document beside them: how they are asked for and read."""

import argparse
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transom.errors import UsageError
from transom.model.records import dataclass

if TYPE_CHECKING:
    from transom.model.fleet import Fleet
    from transom.spec.fleet import Reading, Source

DEFAULT = "fleet.yaml"
STANDARD_INPUT = "-"
_SUFFIXES = (".yaml", ".yml")
# A kustomization in a folder says how its files are built, and is no document of ours.
_NOT_OURS = frozenset({"kustomization.yaml", "kustomization.yml"})


@dataclass(frozen=True)
class Files:
    """What a command reads its fleets from: files, folders and standard input; and a Client's file."""

    names: tuple[str, ...] = (DEFAULT,)
    client: str | None = None
    given: bool = False

    def __str__(self) -> str:
        """The files as messages name them."""
        return ", ".join(self.names)

    @property
    def options(self) -> str:
        """The files as they are given to a command."""
        client = f" --client {shlex.quote(self.client)}" if self.client else ""
        return " ".join(f"-f {shlex.quote(name)}" for name in self.names) + client


class _Name(argparse.Action):
    """`-f`: one more file, folder or `-`."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: argparse.Namespace,
        values: "str | Sequence[Any] | None",
        option_string: str | None = None,
    ) -> None:
        del parser, option_string
        now: Files = getattr(namespace, self.dest)
        names = (*now.names, str(values)) if now.given else (str(values),)
        setattr(namespace, self.dest, Files(names, now.client, given=True))


class _Client(argparse.Action):
    """`--client`: where the Client document is."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: argparse.Namespace,
        values: "str | Sequence[Any] | None",
        option_string: str | None = None,
    ) -> None:
        del parser, option_string
        now: Files = getattr(namespace, self.dest)
        setattr(namespace, self.dest, Files(now.names, str(values), given=now.given))


def add_argument(parser: ArgumentParser) -> None:
    """The `-f` that every command about a fleet has."""
    parser.add_argument(
        "-f",
        "--filename",
        metavar="FILE",
        action=_Name,
        default=Files(),
        help="a file with documents of the fleet, a folder of such files, or - for standard input; "
        f"repeatable (default: {DEFAULT})",
    )
    parser.add_argument(
        "--client",
        metavar="FILE",
        action=_Client,
        dest="filename",
        default=argparse.SUPPRESS,
        help="a Client document: kubeconfig and credentials "
        "(default: one in those files, or ~/.config/transom/client.yaml)",
    )


def read(files: "Files | str") -> "list[Fleet]":
    """The fleets in files; relative paths lead where they are meant, and an old form is noted."""
    named = files if isinstance(files, Files) else Files((files,))
    found = _read(named)
    for name in found.outdated:
        from transom.cli.output import console

        console.note(
            f"{name} is transom.dev/v1alpha1; `transom convert -f {_option(name)}` writes v1alpha2"
        )
    return list(found.fleets)


def _option(name: str) -> str:
    return STANDARD_INPUT if name == "standard input" else shlex.quote(name)


def _read(files: Files) -> "Reading":
    from transom.cli.environment import environment
    from transom.spec.fleet import read as read_documents

    home = folder(files)
    own = environment().client_file
    return read_documents(
        [_source(file, home) for name in files.names for file in listed(name)],
        clients=[_source(files.client, home)] if files.client else (),
        later=[_source(str(own), home)] if own.is_file() else (),
    )


def listed(name: str) -> Iterator[str]:
    """The files that a name means: itself, or those of a folder, by name."""
    path = Path(name)
    if name == STANDARD_INPUT or not path.is_dir():
        yield name
        return
    inside = [
        str(file)
        for file in sorted(path.iterdir())
        if file.suffix in _SUFFIXES and file.name not in _NOT_OURS and file.is_file()
    ]
    if not inside:
        raise UsageError(
            f"{name} has no file that ends in .yaml or .yml",
            subject=name,
            hint="folders below it are not looked into: name each with -f",
        )
    yield from inside


def _source(file: str, home: Path) -> "Source":
    from transom.spec.fleet import Source

    beside = folder(file)
    name = "standard input" if file == STANDARD_INPUT else file
    place = str if beside == Path() else partial(_placed, beside)
    # Bundles and override files are looked for beside the fleet; from elsewhere they need the whole path.
    keep = str if beside == home else partial(_whole, beside)
    return Source(name, read_bytes(file), place, keep)


def read_bytes(file: "Files | str") -> bytes:
    """The bytes of a file, or of standard input for `-`."""
    file = str(file)
    if file == STANDARD_INPUT:
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


def folder(files: "Files | str") -> Path:
    """What paths in those files are relative to, and where the lock is: beside the first."""
    first = files.names[0] if isinstance(files, Files) else files
    if first == STANDARD_INPUT:
        return Path()
    path = Path(first)
    return path if path.is_dir() else path.parent


def _placed(beside: Path, text: str) -> str:
    return str(beside / Path(text).expanduser())


def _whole(beside: Path, text: str) -> str:
    return str((beside / Path(text).expanduser()).absolute())
