"""`transom verify import`: runs into the store."""

from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from transom.cli.commands.verify import buckets, options
from transom.cli.output import console
from transom.errors import InvalidDocument, UsageError

if TYPE_CHECKING:
    from transom.documents.verify import ImportedRun
    from transom.verify.reading.sources import Given

SUMMARY = "keep the results of runs: JUnit, Ginkgo, Prow, Sonobuoy"


def configure(parser: ArgumentParser) -> None:
    """Add the runs and what is known of them."""
    options.add_store_argument(parser)
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="a file, tarball or folder, or s3://NAME/PREFIX"
    )
    buckets.add_arguments(parser, name=False)
    parser.add_argument("--job", default="", help="whose runs they are; default: from the files")
    parser.add_argument("--build", default="", help="the run's name; for a single run only")
    parser.add_argument("--started", default="", metavar="TIME", help="when it began, in ISO 8601")
    parser.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="what the runs ran on: kubernetes, windows (build), kb, runtime, cni, provider, isolation; repeatable",
    )
    parser.add_argument("--replace", action="store_true", help="import known runs again")
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text")


def run(args: Namespace) -> int:
    """Read every path, keep what is readable, and say what is there now."""
    from transom.documents.verify import ImportResult
    from transom.site.results import import_runs

    given = _given(args)
    if given.build and len(args.paths) > 1:
        raise UsageError("--build names one run, and there are several paths", subject="--build")
    store = options.store_path(args.store)
    with ExitStack() as stack:
        paths = [_local(args, path, stack) for path in args.paths]
        imported, mistakes = import_runs(store, paths, given, replace=args.replace)
    if args.output == "json":
        console.print_json(ImportResult(runs=tuple(imported)))
    else:
        _print(imported)
    if mistakes:
        raise InvalidDocument(mistakes, subject="what was to be imported")
    return 0


def _local(args: Namespace, path: str, stack: ExitStack) -> str:
    """Give a path on this machine; what is in a bucket is copied for as long as it is read."""
    if not path.startswith("s3://"):
        return path
    from transom.site.buckets import copied

    return str(stack.enter_context(copied(buckets.opened(args, path))))


def _print(imported: "list[ImportedRun]") -> None:
    for run_ in imported:
        counts = f"{run_.passed} passed, {run_.failed} failed, {run_.flaky} flaky, {run_.skipped} skipped"
        known = "" if run_.is_new else "  (known already; --replace imports it again)"
        on = ", ".join(f"{key} {value}" for key, value in run_.on.items())
        print(f"{run_.job}/{run_.build}: {counts}{f'; {on}' if on else ''}{known}")


def _given(args: Namespace) -> "Given":
    from transom.verify.reading.sources import Given
    from transom.verify.results import VARIANT_KEYS, Variant

    values: dict[str, str] = {}
    for pair in args.variant:
        key, equals, value = pair.partition("=")
        if not equals or key not in VARIANT_KEYS:
            raise UsageError(
                f"{pair!r} says nothing about a run",
                subject="--variant",
                hint=f"write KEY=VALUE with one of {', '.join(VARIANT_KEYS)}",
            )
        values[key] = value
    return Given(
        job=args.job, build=args.build, started=_moment(args.started), variant=Variant(**values)
    )


def _moment(text: str) -> int | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"{text!r} is no time", subject="--started", hint="write 2026-11-18T04:05:00Z"
        ) from error
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
