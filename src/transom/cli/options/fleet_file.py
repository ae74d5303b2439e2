"""The file that `-f` names: how it is asked for and read."""

import sys
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path

from transom.errors import UsageError
from transom.model.fleet import Credential, Fleet, FromFile, Host

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
    """The fleets in a file, or on standard input for `-`; its relative paths lead where they are meant."""
    from transom.spec.fleet import read_fleets

    fleets = read_fleets(read_bytes(file), name="standard input" if file == "-" else file)
    home = folder(file)
    return fleets if home == Path() else [_placed(fleet, home) for fleet in fleets]


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


def _placed(fleet: Fleet, home: Path) -> Fleet:
    cluster = fleet.cluster
    kubeconfig = _path(cluster.kubeconfig, home) if cluster.kubeconfig else None
    token_from = _credential(cluster.token_from, home)
    return replace(
        fleet,
        cluster=replace(cluster, kubeconfig=kubeconfig, token_from=token_from),
        hosts=tuple(_host(host, home) for host in fleet.hosts),
    )


def _host(host: Host, home: Path) -> Host:
    way = host.connection
    if way is None or not isinstance(way.credential, FromFile):
        return host
    return replace(host, connection=replace(way, credential=_credential(way.credential, home)))


def _credential(found: Credential | None, home: Path) -> Credential | None:
    return FromFile(_path(found.path, home)) if isinstance(found, FromFile) else found


def _path(text: str, home: Path) -> str:
    return str(home / Path(text).expanduser())
