"""The cluster that is meant, as arguments."""

import argparse
from typing import TYPE_CHECKING

from transom.cli.environment import environment
from transom.site import cluster as site_cluster
from transom.site.cluster import ClusterChoice
from transom.site.environment import DEFAULT_KUBECONFIG

if TYPE_CHECKING:
    from transom.kube.api import Api
    from transom.model.fleet import Cluster


def add_arguments(parser: argparse.ArgumentParser, *, fleet: bool = False) -> None:
    """Add which cluster, where the fleet or kubectl's own choice does not say so."""
    group = parser.add_argument_group("the cluster")
    first = "the fleet's, " if fleet else ""
    group.add_argument(
        "--kubeconfig",
        metavar="FILE",
        help=f"default: {first}$KUBECONFIG or {DEFAULT_KUBECONFIG}",
    )
    group.add_argument("--context", help=f"default: {first}the kubeconfig's current one")


def chosen(args: argparse.Namespace) -> ClusterChoice:
    """Give the cluster as the user named it."""
    return ClusterChoice(kubeconfig=args.kubeconfig, context=args.context)


def open_api(args: argparse.Namespace, cluster: "Cluster | None" = None) -> "Api":
    """Open the cluster that is meant."""
    return site_cluster.open_api(environment(), chosen(args), cluster)


def open_api_if_any(args: argparse.Namespace, cluster: "Cluster | None" = None) -> "Api | None":
    """Open the cluster; None where nobody named one and kubectl would not find one either."""
    return site_cluster.open_api_if_any(environment(), chosen(args), cluster)
