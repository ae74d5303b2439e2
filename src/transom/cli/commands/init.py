"""`transom init`: a first fleet.yaml from the cluster that kubectl points at."""

import asyncio
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from transom.cli.environment import environment
from transom.cli.options import cluster_access, fleet_file
from transom.errors import InvalidDocument, UsageError

if TYPE_CHECKING:
    from transom.fleet.cluster import ClusterEntry
    from transom.fleet.draft import LinuxNetwork
    from transom.fleet.host_lists import ListedHost
    from transom.kube.api import Api, Node

_GIVEN = ("metadata", "spec.hosts", "spec.pools")

SUMMARY = "Write a commented fleet.yaml from the cluster; nothing else is changed."

_EXAMPLES = """\
examples:
  transom init
  transom init --context prod --hosts-from ansible:inventory.ini
  transom init --hosts-from csv:hosts.csv -f -
  ansible-inventory --list | transom init --hosts-from ansible:-
  transom init --hosts-from nodes --name shop --yes
  transom init --print-rbac | kubectl apply -f -

A CSV file's first line names its columns: name, address, pool, windows, user, port.
exit codes: 0 written, 2 usage, 4 the cluster cannot be reached, 5 it refuses
"""


def configure(parser: ArgumentParser) -> None:
    """Add the cluster, where hosts come from, and the file."""
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "-f",
        "--filename",
        metavar="FILE",
        default=fleet_file.DEFAULT,
        help="what to write; - is standard output (default: %(default)s)",
    )
    parser.add_argument("--name", help="the fleet's name (default: asked for, or windows)")
    parser.add_argument(
        "--hosts-from",
        metavar="LIST",
        help="ansible:FILE, csv:FILE (- is standard input), or nodes: the cluster's Windows nodes of no other fleet",
    )
    parser.add_argument("--force", action="store_true", help="replace a file that is there")
    parser.add_argument("-y", "--yes", action="store_true", help="ask nothing")
    parser.add_argument(
        "--print-rbac", action="store_true", help="print the least rights Transom needs instead"
    )
    cluster_access.add_arguments(parser)


def run(args: Namespace) -> int:
    """Read the cluster and write the file."""
    if args.print_rbac:
        return _print_rights()
    path = Path(args.filename)
    if args.filename != "-" and path.exists() and not args.force:
        raise UsageError(
            f"{path} is there already",
            subject=str(path),
            hint="--force replaces it, -f names another",
        )
    seen = asyncio.run(_read(cluster_access.open_api(args)))
    name = _name(args)
    hosts = _hosts(args.hosts_from, seen.nodes, fleet=name)
    text = _draft(args, seen, hosts, name=name)
    _must_be_a_fleet(text, args, name=name)
    if args.filename == "-":
        print(text, end="")
        return 0
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}", subject=str(path)) from error
    count = f"{len(hosts)} {'host' if len(hosts) == 1 else 'hosts'}"
    print(f"{path} is written: Kubernetes {seen.entry.version}, {count}")
    first = "see that its hosts are right" if hosts else f"add hosts to {path}"
    print(f"next: {first}, then `transom lock -f {path}` and `transom plan -f {path}`")
    return 0


def _draft(args: Namespace, seen: "_Seen", hosts: "tuple[ListedHost, ...]", *, name: str) -> str:
    from transom.fleet.draft import draft

    files = environment().kubeconfigs(args.kubeconfig)
    is_beside = args.kubeconfig and fleet_file.folder(args.filename) == Path()
    # Of several only kubectl's own way tells which: it is left to that.
    full = str(files[0].absolute()) if len(files) == 1 else ""
    return draft(
        name,
        seen.entry,
        kubeconfig=args.kubeconfig if is_beside else full,
        context=seen.context,
        hosts=hosts,
        linux=seen.linux,
    )


def _must_be_a_fleet(text: str, args: Namespace, *, name: str) -> None:
    """What would be written must be readable; names of fleets, hosts and pools are the person's."""
    from transom.spec.fleet import read_fleets

    try:
        read_fleets(text.encode(), name="the fleet that would be written")
    except InvalidDocument as error:
        # What the cluster does not tell is a comment in it, for a person to fill in.
        wrong = [found for found in error.mistakes if found.path.startswith(_GIVEN)]
        hints = [f"--name must be another than {name!r}"] * any(
            found.path.startswith("metadata") for found in wrong
        )
        hints += [f"correct {args.hosts_from}"] * (len(wrong) > len(hints))
        if wrong:
            raise InvalidDocument(wrong, subject=error.subject, hint="; ".join(hints)) from error


class _Seen(NamedTuple):
    """What the cluster says: the way in, its nodes, the network of the Linux nodes."""

    entry: "ClusterEntry"
    nodes: "tuple[Node, ...]"
    linux: "LinuxNetwork | None"
    context: str


async def _read(api: "Api") -> _Seen:
    from transom.fleet.cluster import read_entry
    from transom.fleet.draft import read_linux_network

    try:
        entry = await read_entry(api)
        linux = await read_linux_network(api, entry, api.door)
        return _Seen(entry, await api.nodes(), linux, api.context)
    finally:
        await api.close()


def _hosts(
    source: str | None, nodes: "tuple[Node, ...]", *, fleet: str
) -> "tuple[ListedHost, ...]":
    from transom.fleet.host_lists import from_ansible, from_csv, from_nodes

    if source is None:
        return ()
    if source == "nodes":
        return from_nodes(nodes, fleet=fleet)
    kind, _, file = source.partition(":")
    readers = {"ansible": from_ansible, "csv": from_csv}
    if kind not in readers or not file:
        raise UsageError(
            f"{source!r} names no list of hosts",
            subject="--hosts-from",
            hint="write ansible:FILE, csv:FILE or nodes",
        )
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file}", subject=file) from error
    return readers[kind](text, name=file)


def _name(args: Namespace) -> str:
    if args.name or args.yes or not sys.stdin.isatty():
        return args.name or "windows"
    print("What is the fleet called? (windows) ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() or "windows"


def _print_rights() -> int:
    from transom.fleet.rights import rights
    from transom.yamlio.writing import write_all

    print(
        "# Bind transom-fleet and transom-tokens to whoever runs Transom; transom-approve too where"
    )
    print("# it may approve the serving certificates of nodes that it joins.")
    print(write_all(rights()), end="")
    return 0
