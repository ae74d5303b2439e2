"""`transom bundle push`: images into a private registry."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from transom.cli.options import source_access

SUMMARY = "put the bundle's images into a registry; only what it lacks is sent"


def configure(parser: ArgumentParser) -> None:
    """Add the bundle and the registry."""
    parser.add_argument("bundle", metavar="BUNDLE")
    parser.add_argument(
        "--to", required=True, metavar="URL", help="https://HOST[/PATH]; images keep their names"
    )
    source_access.add_arguments(parser)


def run(args: Namespace) -> int:
    """Push, and say what each image is called there."""
    from transom.site.bundles import push_bundle

    fetchers = source_access.fetchers_of(args.ca_file, args.header)
    for pushed in push_bundle(Path(args.bundle), args.to, fetchers):
        said = f"{pushed.sent} blobs sent" if pushed.sent else "was there"
        print(f"{pushed.image.reference} -> {pushed.reference}  {said}")
    return 0
