"""`transom verify grid`: the page, the badge, Prow's layout."""

import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from transom.cli import console
from transom.cli.documents.verify import GridSummary, GridTab, GridTest
from transom.cli.verifying import store_path
from transom.errors import UsageError
from transom.verify import junit, page
from transom.verify.grid import Look, State, Tab, tabs
from transom.verify.store import open_store


def run(args: Namespace) -> int:
    """Write what was asked for and say how it stands."""
    with open_store(store_path(args.store)) as store:
        made = tabs(store, now=int(time.time()), look=look_of(args))
    if args.out == "-":
        sys.stdout.write(page.html(made, title=args.title))
        return 0
    if args.out:
        _write(Path(args.out), page.html(made, title=args.title))
    if args.badge:
        _write(Path(args.badge), page.badge(page.worst(made), "windows"))
    if args.prow:
        for tab in made:
            for name, text in page.prow_files(tab):
                _write(Path(args.prow, name), text)
    _print(made, args.output)
    if args.out and args.output == "text":
        print(f"\n{args.out}: open it in a browser")
    return 0


def look_of(args: Namespace) -> Look:
    """How much is shown, and what counts as stale."""
    if args.runs < 1 or args.stale_days < 1:
        raise UsageError("--runs and --stale-days are at least 1")
    return Look(most_runs=args.runs, stale_days=args.stale_days)


def _print(made: Sequence[Tab], output: str) -> None:
    if output == "json":
        console.print_json(summary(made))
    elif output == "junit":
        print(junit.of_grid(made), end="")
    elif made:
        header = ("STATE", "COMBINATION", "RUNS", "TESTS", *State)
        console.print_table(header, (_line(tab) for tab in made))
    else:
        print("no results yet; `transom verify import` brings some")


def _line(tab: Tab) -> list[str]:
    counts = [str(tab.count(state)) for state in State]
    return [tab.state.value, tab.title, str(len(tab.runs)), str(len(tab.tests)), *counts]


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


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError("cannot write the file", subject=str(path)) from error
