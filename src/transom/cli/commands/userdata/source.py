"""Where boot data comes from: a file, standard input, or a Secret of a cluster."""

import re
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from argparse import _ArgumentGroup

    from transom.bootstrap.lint import Origin
    from transom.bootstrap.machine import Machine

_SECRET = "secret/"  # noqa: S105 - a kind of object, as kubectl writes it
_HIDDEN = re.compile(r"\b[a-z0-9]{6}\.[a-z0-9]{16}\b|(?<=passwd: )\S+|(?<=password: )\S+")


class Source(NamedTuple):
    """Boot data and where it is from."""

    data: bytes
    origin: "Origin"


def hidden(text: str) -> str:
    """Text of boot data as it may be shown: without tokens and passwords."""
    return _HIDDEN.sub("[hidden]", text)


def add_arguments(parser: ArgumentParser) -> None:
    """What is read, and the cluster a Secret is in."""
    parser.add_argument("source", metavar="FILE", help="a file, - or secret/NAME")
    add_cluster_arguments(parser)


def add_cluster_arguments(parser: "ArgumentParser | _ArgumentGroup") -> None:
    """The cluster that secret/NAME is in."""
    parser.add_argument(
        "-n", "--namespace", default="default", help="of secret/NAME (default: default)"
    )
    parser.add_argument("--kubeconfig", metavar="FILE", help="of its cluster (default: as kubectl)")
    parser.add_argument("--context", help="of its cluster (default: the kubeconfig's current one)")


def add_machine_arguments(parser: ArgumentParser) -> None:
    """The machine it is meant for."""
    from transom.facts.platforms import Platform
    from transom.facts.rows import read

    parser.add_argument(
        "--platform", choices=[row.id for row in read(Platform)], help="where the machine is made"
    )
    parser.add_argument(
        "--hostname", metavar="NAME", help="in the machine's metadata (default: windows-node)"
    )


def machine_of(args: Namespace) -> "Machine":
    """The machine that the arguments describe."""
    from transom.bootstrap.machine import Machine
    from transom.facts.platforms import Platform
    from transom.facts.rows import At, one

    platform = one(Platform, args.platform, At()) if args.platform else None
    machine = Machine(platform=platform)
    if args.hostname:
        machine = Machine(platform=platform, hostname=args.hostname)
    return machine


def read(name: str, args: Namespace) -> Source:
    """The boot data of that name; of a Secret, what is in it."""
    from transom.bootstrap.lint import Origin
    from transom.bootstrap.secret import secret_in

    if name.startswith(_SECRET):
        return _of_cluster(name, args)
    from transom.cli.options.fleet_file import read_bytes

    data = read_bytes(name)
    file = "standard input" if name == "-" else name
    found = secret_in(data, file=file)
    if found is None:
        return Source(data, Origin(file))
    return Source(found.data, Origin(file, "Secret", found.namespace, found.name))


def _of_cluster(source: str, args: Namespace) -> Source:
    from transom.bootstrap.lint import Origin
    from transom.cli.options.cluster_access import open_api
    from transom.site.boot_data import boot_data_in
    from transom.site.cluster import with_api

    name = source.removeprefix(_SECRET)
    data = with_api(open_api(args), lambda api: boot_data_in(api, args.namespace, name))
    return Source(data, Origin(source, "Secret", args.namespace, name))
