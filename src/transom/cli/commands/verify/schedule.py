"""`transom verify schedule`: the cluster runs the checks every day."""

import re
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli.commands.verify.run import add_arguments
from transom.cli.options import cluster_access, fleet_file
from transom.cli.output import console
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.kube.api import Api
    from transom.verify.schedule import Schedule

SUMMARY = "have the cluster run the checks every day: a CronJob with the rights it needs"
_CRON = re.compile(r"@[a-z]+|\S+( \S+){4}")
# Options of `verify run` that the container is given as they are here; the rest the schedule itself decides.
_PASSED = (
    *("node", "suite", "check", "image", "isolation", "parallel", "patience", "image_repository"),
    *("egress", "gmsa", "job", "endpoint", "region", "all_nodes", "disruptive"),
)


def configure(parser: ArgumentParser) -> None:
    """Add when, with which image, and where results go."""
    parser.epilog = (
        "examples:\n"
        "  transom verify schedule --transom-image registry.example/transom:1.0 > verify.yaml\n"
        "  transom verify schedule --transom-image registry.example/transom:1.0 --suite readiness --apply\n"
        "  transom verify schedule --transom-image registry.example/transom:1.0 \\\n"
        "    --bucket s3://results/windows --endpoint https://minio.example --credentials verify-bucket\n"
    )
    parser.add_argument(
        "--transom-image",
        metavar="IMAGE",
        required=True,
        help="an image whose entry point is transom",
    )
    parser.add_argument("--cron", default="0 4 * * *", help="when (default: %(default)s)")
    parser.add_argument("--time-zone", metavar="NAME", default="", help="such as Europe/Berlin")
    parser.add_argument("--namespace", default="transom-system", help="default: %(default)s")
    parser.add_argument(
        "--credentials",
        metavar="SECRET",
        default="",
        help="a Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, in that namespace",
    )
    parser.add_argument(
        "--volume-size", metavar="SIZE", default="", help="default: 1Gi without a bucket"
    )
    parser.add_argument(
        "--storage-class", metavar="NAME", default="", help="default: the cluster's"
    )
    parser.add_argument("--apply", action="store_true", help="apply it instead of printing it")
    parser.add_argument("-o", "--output", choices=("yaml", "json"), default="yaml")
    add_arguments(parser)
    cluster_access.add_arguments(parser)


def run(args: Namespace) -> int:
    """Print the manifests, or apply them."""
    from transom.addons.delivery import stream
    from transom.verify.schedule import manifests

    found = manifests(_schedule(args))
    if args.apply:
        from transom.site.cluster import with_api

        async def applied(api: "Api") -> None:
            for manifest in found:
                await api.door.apply(manifest)
                name = f"{manifest['kind']} {manifest['metadata']['name']}"
                console.note(f"applied {name}")

        with_api(cluster_access.open_api(args), applied)
    elif args.output == "json":
        console.print_json({"apiVersion": "v1", "kind": "List", "items": found})
    else:
        print(stream(found), end="")
    return 0


def _schedule(args: Namespace) -> "Schedule":
    from transom.verify.checks import chosen
    from transom.verify.schedule import Schedule

    chosen(tuple(args.suite), tuple(args.check))  # a wrong name is said now, not tomorrow at four
    if _CRON.fullmatch(args.cron) is None:
        raise UsageError(
            f"{args.cron!r} is no schedule", subject="--cron", hint="write five fields, or @daily"
        )
    if args.bucket and not args.credentials:
        raise UsageError(
            "a bucket needs credentials",
            subject="--bucket",
            hint="--credentials names a Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        )
    if args.bucket:
        from transom.remote.bucket import BucketAddress

        BucketAddress.parse(args.bucket)
    if args.store or args.ca_file or args.lock:
        raise UsageError("--store, --ca-file and --lock name files of this machine, not of the pod")
    return Schedule(
        image=args.transom_image,
        cron=args.cron,
        time_zone=args.time_zone,
        namespace=args.namespace,
        arguments=_arguments(args),
        node_conditions=args.node_conditions,
        bucket=args.bucket,
        credentials=args.credentials,
        volume_size=args.volume_size,
        storage_class=args.storage_class,
    )


def _arguments(args: Namespace) -> tuple[str, ...]:
    """Give the arguments of the run; of a fleet its nodes."""
    words: list[str] = []
    for name in _PASSED:
        value, option = getattr(args, name), f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif isinstance(value, list):
            words += [word for item in value for word in (option, item)]
        elif value not in ("", False, 1.0, 4, "process", "transom-verify"):
            words += [option, str(value)]
    if args.filename and not args.node:
        for fleet in fleet_file.read(args.filename):
            words += [word for host in fleet.hosts for word in ("--node", host.node_name)]
    return tuple(words)
