"""Results of tests in their store: imported, judged, summed up and shown in a browser."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from transom.documents.verify import GridSummary, GridTab, GridTest, ImportedRun
from transom.errors import TransomError, UsageError
from transom.model.problem import Mistake
from transom.verify import page
from transom.verify.gate import PRESETS, History, Verdict, compare, judge
from transom.verify.grid import Look, State, Tab, combinations, tabs
from transom.verify.reading.sources import Given, runs_at
from transom.verify.results import Outcome, RunResults
from transom.verify.store import Run, Store, open_store

_LATEST = "latest"


def import_runs(
    path: Path, sources: Sequence[str], given: Given, *, replace: bool
) -> tuple[list[ImportedRun], list[Mistake]]:
    """Keep the runs of every source that can be read; give them, and why others cannot."""
    imported: list[ImportedRun] = []
    mistakes: list[Mistake] = []
    with open_store(path, create=True) as store:
        for source in sources:
            try:
                for results in runs_at(Path(source), given):
                    is_new = store.add(results, replace=replace)
                    imported.append(_told(results, is_new=is_new))
            except UsageError as error:
                mistakes.append(_mistake(error, source))
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
    outcomes = results.results.outcomes
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


def verdicts(path: Path, *, preset: str, against: str = "") -> tuple[Verdict, ...]:
    """Judge the newest run of every combination: by statistics, or against one earlier run or `latest`."""
    with open_store(path) as store:
        every = list(combinations(store.runs()).values())
        if not every:
            raise UsageError(
                "there are no results to judge",
                subject=str(path),
                hint="`transom verify import` brings some",
            )
        if against not in ("", _LATEST):
            return (_against(store, every, against),)
        made = [_history(store, runs) for runs in every]
        if against == _LATEST:
            return tuple(compare(history, len(history.runs) - 2) for history in made)
        return tuple(judge(history, PRESETS[preset]) for history in made)


def _against(store: Store, every: Sequence[Sequence[Run]], wanted: str) -> Verdict:
    """The newest run of the combination that has the wanted one, compared with it.

    Where the wanted run is itself the newest of its combination, the newest of all is compared: two releases.
    """
    found = [run for runs in every for run in runs if wanted in (run.name, run.build)]
    if len(found) != 1:
        known = "none" if not found else " and ".join(run.name for run in found)
        raise UsageError(
            f"{wanted!r} names {len(found)} runs: {known}",
            subject="--against",
            hint="write JOB/BUILD; `transom verify grid` shows the runs",
        )
    runs = next(runs for runs in every if found[0] in runs)
    newest = runs[-1]
    if newest == found[0]:
        newest = max((run for runs in every for run in runs), key=lambda run: run.started)
    if newest == found[0]:
        raise UsageError(f"{wanted!r} is the newest run itself", subject="--against")
    return compare(_history(store, [found[0], newest]), 0)


def _history(store: Store, runs: Sequence[Run]) -> History:
    """The runs with their outcomes; what was said is read where it is asked for."""
    said = {(run, test): text for run, test, text in store.told(runs[-1:])}
    return History(
        names=store.names(),
        runs=runs,
        outcomes=store.outcomes(runs),
        message=lambda run, test: said.get((run, test), ""),
    )


def summary(made: Sequence[Tab]) -> GridSummary:
    """How every tab stands, with the tests that do not pass."""
    return GridSummary(
        tabs=tuple(
            GridTab(
                title=tab.title,
                state=tab.state,
                on=tab.combination.known(),
                newest=tab.runs[-1].name,
                runs=len(tab.runs),
                counts={state.value: tab.count(state) for state in State},
                not_passing=tuple(
                    GridTest(name=name, state=state)
                    for name, state in zip(tab.tests, tab.states, strict=True)
                    if state is not State.PASS
                ),
            )
            for tab in made
        )
    )


def grid(store: Path, look: Look) -> list[Tab]:
    """Give the grid as it is now."""
    with open_store(store) as opened:
        return list(tabs(opened, now=int(time.time()), look=look))


def serve(listen: str, store: Path, look: Look, title: str) -> ThreadingHTTPServer:
    """A server of the page, its badge and its summary, not yet serving."""
    open_store(store).__exit__()  # a store that is no store is said before anyone waits for a page
    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit():
        raise UsageError(f"{listen!r} is no address", subject="--listen", hint="write ADDRESS:PORT")

    class Handler(BaseHTTPRequestHandler):
        """Answers three paths; everything else is 404."""

        timeout = 30

        def do_GET(self) -> None:
            made = grid(store, look)
            if self.path == "/":
                self._answer("text/html; charset=utf-8", page.html(made, title=title))
            elif self.path == "/badge.svg":
                self._answer("image/svg+xml", page.badge(page.worst(made), "windows"))
            else:
                self.send_error(404)

        def _answer(self, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing: a request is of no interest, and its text is foreign."""

    try:
        return ThreadingHTTPServer((host, int(port)), Handler)
    except (OSError, OverflowError) as error:
        raise UsageError("cannot listen there", subject=listen) from error
