"""`transom lock`: pin every artifact of a fleet by its SHA-256, and record what was chosen by default.

Without options it only adds what is missing. Nothing that is locked changes unless --update asks
for it, and nothing is written with --check.
"""

import argparse
import sys
from dataclasses import replace

from transom.cli.options import fleet_file, lock_file, source_access
from transom.cli.options.extras import add_extras_argument
from transom.cli.options.host_access import version_of
from transom.cli.output import console
from transom.cli.output.progress import progress_of
from transom.errors import UsageError
from transom.fleet import pin
from transom.model.fleet import Fleet, KubernetesSpec
from transom.recipe.defaults import locked_fleet
from transom.recipe.lock import PinnableArtifact
from transom.recipe.pinnable import artifacts_of
from transom.report import lock as lock_report
from transom.site.pinning import check_lock, update_lock

SUMMARY = (
    "Pin the exact bytes a fleet installs: address, SHA-256, size and who vouches for the sum."
)
EXIT_DIFFERENT = 1

_EXAMPLES = """\
examples:
  transom lock -f fleet.yaml                    add what is missing to transom.lock
  transom lock -f fleet.yaml --to 1.37.2        also for `transom upgrade --to 1.37.2`
  transom lock -f fleet.yaml --check            in CI: exit 1 if fleet, lock and upstream differ
  transom lock -f fleet.yaml --update containerd   take today's default version, and its sum
  transom lock -f fleet.yaml --header https://mirror.corp Authorization MIRROR_AUTH
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.epilog = _EXAMPLES
    fleet_file.add_argument(parser)
    parser.add_argument("--lock", metavar="FILE", help="default: transom.lock beside the fleet")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--update",
        nargs="?",
        const="",
        metavar="NAME",
        help="choose and pin everything, or one default or artifact, again, and drop entries that are unused",
    )
    mode.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 and say what differs"
    )
    parser.add_argument(
        "--offline", action="store_true", help="reach for nothing; exit 1 and say what is missing"
    )
    parser.add_argument(
        "--images", action="store_true", help="pin container images by their digests too"
    )
    parser.add_argument(
        "--to", metavar="VERSION", help="also for this version of Kubernetes, to upgrade to"
    )
    add_extras_argument(parser, "with --images: also those of this add-on; repeatable")
    source_access.add_arguments(parser)
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    """Lock, update or check, and print what came of it."""
    if args.offline and args.update is not None:
        raise UsageError(
            "--update asks upstreams for their sums, so it cannot be --offline",
            hint="leave out one of them",
        )
    if args.extras and not args.images:
        raise UsageError("--with is about the images of add-ons", hint="give --images too")
    pinnables = pin.distinct([*wanted_by(args), *(images_by(args) if args.images else ())])
    path = lock_file.locate(args.filename, args.lock)
    fleets = fleets_by(args)
    doors = None if args.offline else source_access.fetchers_of(args.ca_file, args.header)
    if args.check:
        return _finish(check_lock(path, pinnables, doors, fleets=fleets), args.output)
    done = update_lock(
        path, pinnables, update=args.update, fetcher=doors, progress=progress_of, fleets=fleets
    )
    if done.failure is not None:
        if sys.stderr.isatty():
            print(file=sys.stderr)  # the live line of what failed has no end
        for line in lock_report.lines(done.report):
            print(line, file=sys.stderr)
        raise done.failure
    return _finish(done.report, args.output)


def wanted_by(args: argparse.Namespace) -> list[PinnableArtifact]:
    """Every artifact that the fleets of a file need."""
    return artifacts_of(fleets_by(args), directory=str(fleet_file.folder(args.filename)))


def images_by(args: argparse.Namespace) -> list[PinnableArtifact]:
    """Every container image that the fleets of a file need."""
    from transom.image.bundle.images import images_of

    return images_of(fleets_by(args), args.extras)


def fleets_by(args: argparse.Namespace) -> list[Fleet]:
    """The fleets as they are and at the version that is named, with what the lock has for them."""
    lock = lock_file.load(lock_file.locate(args.filename, args.lock))
    read = fleet_file.read(args.filename)
    fleets = [locked_fleet(fleet, lock, but=args.update) for fleet in read]
    if not args.to:
        return fleets
    to = KubernetesSpec(version_of(args.to, option="--to"))
    return [*fleets, *(replace(fleet, kubernetes=to) for fleet in fleets)]


def _finish(report: lock_report.LockReport, output: str) -> int:
    if output == "json":
        from transom.documents.lock import lock_report_document

        console.print_json(lock_report_document(report))
    else:
        for line in lock_report.lines(report):
            print(line)
    return 0 if report.is_whole else EXIT_DIFFERENT
