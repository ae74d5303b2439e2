"""`transom lock`: pin every artifact of a fleet by its SHA-256.

Without options it only adds what is missing. Nothing that is locked changes unless --update asks
for it, and nothing is written with --check.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from transom.cli import console, fleet_file, lock_file, lock_report
from transom.cli.addons import add_extras_argument
from transom.cli.fetchers import Fetchers, progress_of
from transom.cli.host_access import version_of
from transom.cli.source_access import add_arguments
from transom.errors import InternalError, UsageError
from transom.fleet import pin
from transom.model.fleet import Fleet, KubernetesSpec
from transom.model.lock import Lock, LockKey
from transom.recipe.lock import PinnableArtifact, apply_lock, unused
from transom.recipe.pinnable import artifacts_of

SUMMARY = (
    "Pin the exact bytes a fleet installs: address, SHA-256, size and who vouches for the sum."
)
EXIT_DIFFERENT = 1

_EXAMPLES = """\
examples:
  transom lock -f fleet.yaml                    add what is missing to transom.lock
  transom lock -f fleet.yaml --to 1.37.2        also for `transom upgrade --to 1.37.2`
  transom lock -f fleet.yaml --check            in CI: exit 1 if fleet, lock and upstream differ
  transom lock -f fleet.yaml --update kubelet   take today's sum of one artifact
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
        help="pin everything, or one artifact, anew, and drop entries that are unused",
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
    add_arguments(parser)
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
    lock = lock_file.load(path)
    doors = None if args.offline else Fetchers(args.ca_file, args.header)
    if args.check:
        report = _checked(pinnables, lock, path, doors)
        return _finish(report, args.output)
    wanted = _to_pin(pinnables, lock, args.update)
    if doors is None:
        wanted = [pinnable for pinnable in wanted if pinnable.artifact.file]
    with tempfile.TemporaryDirectory(prefix="transom-lock-") as folder:
        pinned = pin.pin_all(
            wanted,
            fetcher=doors or _no_door,
            folder=Path(folder),
            progress=progress_of,
        )
    after = lock.with_entries(pinned.entries).without(_to_drop(pinnables, lock, args.update))
    written = after != lock
    if written:
        lock_file.save(path, after)
    report = _report(pinnables, path, before=lock, after=after, written=written)
    if pinned.failures:
        if sys.stderr.isatty():
            print(file=sys.stderr)  # the live line of what failed has no end
        for line in lock_report.lines(report):
            print(line, file=sys.stderr)
        raise pin.failure_of(pinned.failures)
    return _finish(report, args.output)


def wanted_by(args: argparse.Namespace) -> list[PinnableArtifact]:
    """Every artifact that the fleets of a file need."""
    return artifacts_of(_fleets(args), directory=str(fleet_file.folder(args.filename)))


def images_by(args: argparse.Namespace) -> list[PinnableArtifact]:
    """Every container image that the fleets of a file need."""
    from transom.image.bundle.images import images_of

    return images_of(_fleets(args), args.extras)


def _fleets(args: argparse.Namespace) -> list[Fleet]:
    """The fleets as they are, and at the version that is named."""
    fleets = list(fleet_file.read(args.filename))
    if not args.to:
        return fleets
    to = KubernetesSpec(version_of(args.to, option="--to"))
    return [*fleets, *(replace(fleet, kubernetes=to) for fleet in fleets)]


def _checked(
    pinnables: Sequence[PinnableArtifact], lock: Lock, path: Path, doors: "Fetchers | None"
) -> lock_report.LockReport:
    report = _report(pinnables, path, before=lock, after=lock, written=False)
    moved = pin.moved(pinnables, lock, fetcher=doors)
    return replace(report, differing=(*report.differing, *moved))


def _report(
    pinnables: Sequence[PinnableArtifact], path: Path, *, before: Lock, after: Lock, written: bool
) -> lock_report.LockReport:
    artifacts = [pinnable.artifact for pinnable in pinnables]
    locked = apply_lock(artifacts, after)
    return lock_report.LockReport(
        file=str(path),
        written=written,
        before=before,
        after=after,
        missing=locked.missing,
        differing=locked.differing,
        unused=unused(artifacts, after),
    )


def _finish(report: lock_report.LockReport, output: str) -> int:
    if output == "json":
        from transom.cli.documents.lock import lock_report_document

        console.print_json(lock_report_document(report))
    else:
        for line in lock_report.lines(report):
            print(line)
    return 0 if report.is_whole else EXIT_DIFFERENT


def _to_pin(
    pinnables: Sequence[PinnableArtifact], lock: Lock, update: str | None
) -> list[PinnableArtifact]:
    """What is missing, and what --update names."""
    names = sorted({pinnable.key.id for pinnable in pinnables})
    if update and update not in names:
        near = get_close_matches(update, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"they are {', '.join(names)}"
        raise UsageError(f"the fleet has no artifact {update!r}", hint=hint)
    entries = lock.by_key()
    return [
        pinnable
        for pinnable in pinnables
        if pinnable.key not in entries or update in ("", pinnable.key.id)
    ]


def _to_drop(
    pinnables: Sequence[PinnableArtifact], lock: Lock, update: str | None
) -> list[LockKey]:
    leftover = unused([pinnable.artifact for pinnable in pinnables], lock)
    return [entry.key for entry in leftover if update in ("", entry.id)]


def _no_door(pinnable: PinnableArtifact) -> pin.Fetcher:
    raise InternalError(f"offline, and yet {pinnable.key.id} was to be downloaded")
