"""The options that tell commands about workloads which cluster those are meant for."""

import os
from argparse import ArgumentParser, Namespace

from transom.cli.linting import settings as settings_file
from transom.cli.linting.settings import Settings


def add_cluster_options(parser: ArgumentParser) -> None:
    """Add what `context_of` and `settings_of` read."""
    cluster = parser.add_argument_group("the cluster they are meant for")
    cluster.add_argument("--kubernetes", metavar="VERSION", help="such as 1.30 (default: newest)")
    cluster.add_argument(
        "--windows",
        metavar="RELEASE",
        action="append",
        default=[],
        help="of the nodes, such as 2022; repeatable",
    )
    cluster.add_argument("--network-mode", choices=["overlay", "l2bridge"])
    cluster.add_argument(
        "-f", "--filename", metavar="FLEET", help="take versions, network and taints from a fleet"
    )
    cluster.add_argument(
        "--mixed", action="store_true", help="the cluster has Linux nodes for workloads too"
    )
    cluster.add_argument(
        "--assume-os", choices=["windows", "linux"], help="of pods that do not say"
    )
    cluster.add_argument(
        "--pod-security",
        choices=["privileged", "baseline", "restricted"],
        help="the level that namespaces enforce",
    )
    cluster.add_argument(
        "--cluster",
        action="store_true",
        help="take versions, builds, network and taints from the cluster that kubectl would use",
    )
    cluster.add_argument(
        "--kubeconfig", metavar="FILE", help="of that cluster (default: as kubectl)"
    )
    cluster.add_argument(
        "--context", help="of that cluster (default: the kubeconfig's current one)"
    )
    parser.add_argument("--config", metavar="FILE", help="instead of .transom.toml, found upwards")


def settings_of(args: Namespace) -> Settings:
    """The settings for the files that were named."""
    if args.config is not None:
        return settings_file.read_file(args.config)
    first = args.paths[0] if args.paths and args.paths[0] != "-" else "."
    is_folder = os.path.isdir(first)  # noqa: PTH112 - as in `settings.find`
    return settings_file.find(first if is_folder else os.path.dirname(first))  # noqa: PTH120 - same
