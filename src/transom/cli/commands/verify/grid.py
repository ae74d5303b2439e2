"""`transom verify grid`: the page, the badge, Prow's layout."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli.commands.verify import options
from transom.cli.output import console
from transom.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transom.verify.grid import Tab

SUMMARY = "write the grid as one HTML file"


def configure(parser: ArgumentParser) -> None:
    """Add the store, how much is shown, and the files."""
    options.add_store_argument(parser)
    options.add_look_arguments(parser)
    parser.add_argument("--out", metavar="FILE", help="the HTML file; - is standard output")
    parser.add_argument("--badge", metavar="FILE", help="also an SVG badge of the whole")
    parser.add_argument("--prow", metavar="DIR", help="also every run in Prow's layout")
    parser.add_argument("-o", "--output", choices=("text", "json", "junit"), default="text")


def run(args: Namespace) -> int:
    """Write what was asked for and say how it stands."""
    from transom.site.results import grid
    from transom.verify import page

    made = grid(options.store_path(args.store), options.look_of(args))
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


def _print(made: "Sequence[Tab]", output: str) -> None:
    from transom.verify.grid import State

    if output == "json":
        from transom.site.results import summary

        console.print_json(summary(made))
    elif output == "junit":
        from transom.verify import junit

        print(junit.of_grid(made), end="")
    elif made:
        header = ("STATE", "COMBINATION", "RUNS", "TESTS", *State)
        console.print_table(header, (_line(tab) for tab in made))
    else:
        print("no results yet; `transom verify import` brings some")


def _line(tab: "Tab") -> list[str]:
    from transom.verify.grid import State

    counts = [str(tab.count(state)) for state in State]
    return [tab.state.value, tab.title, str(len(tab.runs)), str(len(tab.tests)), *counts]


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError("cannot write the file", subject=str(path)) from error
