"""`transom addons render`: the manifests, without asking a cluster."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli.commands.addons import options
from transom.cli.options import lock_file
from transom.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transom.model.manifest import Manifest

SUMMARY = "print the manifests; reads no cluster"


def configure(parser: ArgumentParser) -> None:
    """Add the fleet and the form of the manifests."""
    parser.add_argument("--to", metavar="DIR", help="write a folder for kustomize instead")
    parser.add_argument(
        "--resource-set",
        metavar="NAMESPACE",
        help="wrap them for Cluster API: a ClusterResourceSet of that namespace and its ConfigMap",
    )
    parser.add_argument(
        "--cluster-label",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="of the Clusters that --resource-set is for; repeatable",
    )
    options.add_rendered_arguments(parser)


def run(args: Namespace) -> int:
    """Render, and print or write."""
    from transom.addons import delivery
    from transom.site.addons import rendered_for, write_folder

    fleet = options.fleet_of(args)
    lock = lock_file.load(lock_file.locate(args.filename, args.lock))
    rendered = rendered_for(fleet, lock, args.extras)
    manifests: Sequence[Manifest] = rendered.manifests
    if args.resource_set or args.cluster_label:
        manifests = delivery.resource_set(
            manifests,
            name=f"{fleet.name}-windows-addons",
            namespace=args.resource_set,
            cluster_labels=_cluster_labels(args),
        )
    options.print_needs(rendered.needs)
    if args.to:
        files = delivery.folder(manifests)
        write_folder(Path(args.to), files)
        print(f"{args.to}: {len(files)} files")
    else:
        print(delivery.stream(manifests), end="")
    return 0


def _cluster_labels(args: Namespace) -> dict[str, str]:
    pairs = [label.partition("=") for label in args.cluster_label]
    if not args.resource_set or not pairs or not all(key and value for key, _, value in pairs):
        raise UsageError(
            "a ClusterResourceSet needs a namespace and the labels of its Clusters",
            hint="write --resource-set NAMESPACE --cluster-label KEY=VALUE",
        )
    return {key: value for key, _, value in pairs}
