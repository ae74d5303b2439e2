"""`transom verify import`: runs into the store."""

from argparse import Namespace
from datetime import UTC, datetime
from pathlib import Path

from transom.cli import console
from transom.cli.documents.verify import ImportedRun, ImportResult
from transom.cli.verifying import store_path
from transom.errors import InvalidDocument, TransomError, UsageError
from transom.model.problem import Mistake
from transom.verify.reading.sources import Given, runs_at
from transom.verify.results import VARIANT_KEYS, Outcome, RunResults, Variant
from transom.verify.store import Store, open_store


def run(args: Namespace) -> int:
    """Read every path, keep what is readable, and say what is there now."""
    given = _given(args)
    if given.build and len(args.paths) > 1:
        raise UsageError("--build names one run, and there are several paths", subject="--build")
    with open_store(store_path(args.store), create=True) as store:
        imported, mistakes = _all(store, args, given)
    if args.output == "json":
        console.print_json(ImportResult(runs=tuple(imported)))
    else:
        _print(imported)
    if mistakes:
        raise InvalidDocument(mistakes, subject="what was to be imported")
    return 0


def _all(store: Store, args: Namespace, given: Given) -> tuple[list[ImportedRun], list[Mistake]]:
    imported: list[ImportedRun] = []
    mistakes: list[Mistake] = []
    for path in args.paths:
        try:
            for results in runs_at(Path(path), given):
                is_new = store.add(results, replace=args.replace)
                imported.append(_told(results, is_new=is_new))
        except UsageError as error:
            mistakes.append(_mistake(error, path))
    return imported, mistakes


def _mistake(error: TransomError, path: str) -> Mistake:
    """A path that could not be read; the others are imported all the same."""
    why = f": {error.__cause__}" if isinstance(error.__cause__, OSError) else ""
    return Mistake(
        file=error.subject or path,
        line=0,
        column=0,
        path="",
        message=f"{error.message}{why}",
        hint=error.hint,
    )


def _told(results: RunResults, *, is_new: bool) -> ImportedRun:
    outcomes = [case.outcome for case in results.cases]
    return ImportedRun(
        job=results.job,
        build=results.build,
        started=datetime.fromtimestamp(results.started, tz=UTC).isoformat(),
        on=results.variant.known(),
        source=results.source,
        passed=outcomes.count(Outcome.PASSED),
        failed=outcomes.count(Outcome.FAILED),
        flaky=outcomes.count(Outcome.FLAKY),
        skipped=outcomes.count(Outcome.SKIPPED),
        is_new=is_new,
    )


def _print(imported: list[ImportedRun]) -> None:
    for run_ in imported:
        counts = f"{run_.passed} passed, {run_.failed} failed, {run_.flaky} flaky, {run_.skipped} skipped"
        known = "" if run_.is_new else "  (known already; --replace imports it again)"
        on = ", ".join(f"{key} {value}" for key, value in run_.on.items())
        print(f"{run_.job}/{run_.build}: {counts}{f'; {on}' if on else ''}{known}")


def _given(args: Namespace) -> Given:
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
