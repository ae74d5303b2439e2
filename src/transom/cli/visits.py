"""A visit to one host as arguments: the way to it, the cluster if there is one, and the node program.

Shared by `doctor` and `collect`, which look at hosts in whatever state they are.
"""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli import cluster_access, host_access, join

if TYPE_CHECKING:
    from transom.fleet.diagnose import Bring
    from transom.fleet.program import Brought


def add_arguments(parser: ArgumentParser, *, optional: bool = False) -> None:
    """The host, the cluster, where Python comes from, and the form."""
    host_access.add_way_arguments(parser, optional=optional)
    cluster_access.add_arguments(parser)
    join.add_artifact_arguments(parser)
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def bring_of(args: Namespace) -> "Bring":
    """How to have the node program and its Python, where the host has none."""
    from transom.model.fleet import Source

    source = Source(mirrors=host_access.mirrors_of(args.mirror))

    def bring() -> "Brought":
        return join.brought_of(args, source)

    return bring
