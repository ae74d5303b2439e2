"""`transom bundle create`: by the lock alone, and the same bytes each time."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from transom.cli.options import fleet_file, lock_file, source_access
from transom.cli.options.extras import add_extras_argument

SUMMARY = "gather everything the lock names and write the bundle"


def configure(parser: ArgumentParser) -> None:
    """Add the fleet, the bundle and what goes into it."""
    fleet_file.add_argument(parser)
    parser.add_argument("--lock", metavar="FILE", help="default: transom.lock beside the fleet")
    parser.add_argument(
        "-o", "--output", dest="bundle", metavar="FILE", required=True, help="the bundle to write"
    )
    parser.add_argument(
        "--without-images", action="store_true", help="leave container images to a registry"
    )
    add_extras_argument(parser, "also this add-on and its images; repeatable")
    source_access.add_arguments(parser)


def run(args: Namespace) -> int:
    """Create the bundle and say what is in it."""
    from transom.cli.output.progress import ProgressLine
    from transom.report import lock as lock_report
    from transom.site.bundles import create_bundle

    path = Path(args.bundle)
    made = create_bundle(
        path,
        lock_file.read_locked(args.filename, args.lock),
        source_access.fetchers_of(args.ca_file, args.header),
        extras=args.extras,
        with_images=not args.without_images,
        progress=ProgressLine,
    )
    size = lock_report.size(path.stat().st_size)
    print(f"{path}: {len(made.artifacts)} artifacts, {len(made.images)} images, {size}")
    print(f"next: `transom bundle verify {path}` where it was copied to")
    return 0
