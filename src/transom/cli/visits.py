"""A visit to one host as arguments: the way to it, the cluster if there is one, and the node program.

Shared by `doctor` and `collect`, which look at hosts in whatever state they are.
"""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli import host_access, join
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.fleet.diagnose import Bring
    from transom.fleet.program import Brought
    from transom.kube.client import KubeApi


def add_arguments(parser: ArgumentParser, *, optional: bool = False) -> None:
    """The host, the cluster, where Python comes from, and the form."""
    host_access.add_way_arguments(parser, optional=optional)
    host_access.add_cluster_arguments(parser)
    join.add_artifact_arguments(parser)
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def api_of(args: Namespace) -> "KubeApi | None":
    """The cluster; None where nobody named one and kubectl would find none either."""
    from transom.kube.client import open_cluster

    try:
        return open_cluster(host_access.kubeconfig_of(args.kubeconfig), context=args.context)
    except UsageError:
        if args.kubeconfig or args.context:
            raise
        return None


def bring_of(args: Namespace) -> "Bring":
    """How to have the node program and its Python, where the host has none."""
    from transom.model.fleet import Source

    source = Source(mirrors=host_access.mirrors_of(args.mirror))

    def bring() -> "Brought":
        return join.brought_of(args, source)

    return bring
