"""Where boot data comes from: a file, standard input, or a Secret of a cluster."""

import re
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, NamedTuple

from transom.errors import UsageError

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
    from transom.cli.fleet_file import read_bytes

    data = read_bytes(name)
    file = "standard input" if name == "-" else name
    found = secret_in(data, file=file)
    if found is None:
        return Source(data, Origin(file))
    return Source(found.data, Origin(file, "Secret", found.namespace, found.name))


def _of_cluster(source: str, args: Namespace) -> Source:
    import asyncio

    from transom.bootstrap.lint import Origin
    from transom.cli.cluster_access import kubeconfigs_of
    from transom.kube.client import open_cluster

    name = source.removeprefix(_SECRET)

    async def ask() -> bytes:
        api = open_cluster(*kubeconfigs_of(args.kubeconfig), context=args.context)
        try:
            found = await api.secret(args.namespace, name)
        finally:
            await api.close()
        if found is None or "value" not in found:
            lack = "there is no" if found is None else "no boot data in"
            raise UsageError(
                f"{lack} Secret {args.namespace}/{name}",
                subject=name,
                hint="name the one in the Machine's spec.bootstrap.dataSecretName, and its namespace with -n",
            )
        return found["value"]

    return Source(asyncio.run(ask()), Origin(source, "Secret", args.namespace, name))
