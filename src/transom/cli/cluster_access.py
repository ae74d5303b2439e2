"""The one way from arguments and a fleet to an API connection.

Used by every command that asks a cluster. What the person says wins over the fleet, the fleet over
what kubectl would use. Nothing is sent before the first question.
"""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from transom.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transom.kube.client import KubeApi
    from transom.model.fleet import Cluster

_DEFAULT_KUBECONFIG = "~/.kube/config"


def add_arguments(parser: argparse.ArgumentParser, *, fleet: bool = False) -> None:
    """Which cluster, where the fleet or kubectl's own choice does not say so."""
    group = parser.add_argument_group("the cluster")
    first = "the fleet's, " if fleet else ""
    group.add_argument(
        "--kubeconfig",
        metavar="FILE",
        help=f"default: {first}$KUBECONFIG or {_DEFAULT_KUBECONFIG}",
    )
    group.add_argument("--context", help=f"default: {first}the kubeconfig's current one")


def open_api(args: argparse.Namespace, cluster: "Cluster | None" = None) -> "KubeApi":
    """The cluster that is meant; a kubeconfig that cannot be used is the person's mistake."""
    from transom.kube.client import open_cluster

    named = args.kubeconfig or (cluster.kubeconfig if cluster else None)
    # A context of the fleet belongs to the fleet's kubeconfig.
    ours = cluster.context if cluster and not args.kubeconfig else None
    return open_cluster(*kubeconfigs_of(named), context=args.context or ours)


def open_api_if_any(args: argparse.Namespace, cluster: "Cluster | None" = None) -> "KubeApi | None":
    """The cluster; None where nobody named one and kubectl would find none either."""
    try:
        return open_api(args, cluster)
    except UsageError:
        if args.kubeconfig or args.context or (cluster and (cluster.kubeconfig or cluster.context)):
            raise
        return None


def kubeconfigs_of(named: str | None) -> tuple[Path, ...]:
    """The named file, or those that kubectl would use."""
    environ: Mapping[str, str] = os.environ  # noqa: TID251 - the command line reads it
    listed = [part for part in environ.get("KUBECONFIG", "").split(os.pathsep) if part]
    files = [named] if named else listed or [_DEFAULT_KUBECONFIG]
    return tuple(Path(file).expanduser() for file in dict.fromkeys(files))
