"""Where findings go: the forms a person asked for, standard output or files, and the exit code.

Called by the commands that print findings; they add their `-o` with `add_arguments`.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from transom.errors import UsageError
from transom.model.finding import Severity

if TYPE_CHECKING:
    from argparse import ArgumentParser, _ArgumentGroup

    from transom.cli.findings import Report
    from transom.model.problem import Mistake

FORMS = ("text", "json", "sarif", "junit", "github")
# Lines for people and programs alike; the other forms are one document each.
_LINES = ("text", "github")


def add_arguments(parser: "ArgumentParser | _ArgumentGroup") -> None:
    """Add how findings are told and from which severity on they fail the command."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="FORM[=FILE]",
        action="append",
        default=[],
        help=f"{', '.join(FORMS)}; repeatable (default: text)",
    )
    parser.add_argument(
        "--fail-on",
        choices=["error", "warning", "info", "never"],
        help="the severity from which the exit code is 1 (default: error)",
    )


def parse_outputs(texts: Sequence[str]) -> list[tuple[str, str]]:
    """The forms that are wanted, each with its file, which is empty for standard output."""
    outputs = [_parse(text) for text in texts or ["text"]]
    shown = [form for form, file in outputs if not file]
    if len(shown) > 1 and not all(form in _LINES for form in shown):
        raise UsageError(
            f"{' and '.join(shown)} cannot share standard output",
            subject="-o",
            hint=f"write one to a file, as in `-o {shown[-1]}=FILE`",
        )
    return outputs


def _parse(text: str) -> tuple[str, str]:
    form, named, file = text.partition("=")
    if form not in FORMS:
        raise UsageError(
            f"there is no output {form!r}", subject="-o", hint=f"choose from {', '.join(FORMS)}"
        )
    if named and not file:
        raise UsageError(
            f"no file is named in {text!r}", subject="-o", hint=f"write `-o {form}=FILE`"
        )
    return form, file


def write_report(form: str, file: str, report: "Report") -> None:
    """Write the findings in a form."""
    from importlib import import_module

    name = "document" if form == "json" else form
    pieces: Iterable[str] = import_module(f"transom.cli.findings.{name}").render(report)
    if file:
        write_file(file, pieces)
    else:
        sys.stdout.writelines(pieces)


def write_file(file: str, pieces: Iterable[str]) -> None:
    """Write a file that a person named."""
    from pathlib import Path

    try:
        with Path(file).open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(pieces)
    except OSError as error:
        raise UsageError(
            f"cannot write {file}", subject=file, hint="name a file in a folder you may write to"
        ) from error


def tell_unreadable(mistakes: "Sequence[Mistake]") -> None:
    """Say on standard error what could not be read."""
    for mistake in mistakes:
        place = ":".join(str(part) for part in (mistake.file, mistake.line, mistake.column) if part)
        print(f"error: {place}: {mistake.message}", file=sys.stderr)
        if mistake.hint:
            print(f"  next:  {mistake.hint}", file=sys.stderr)


def exit_code(report: "Report", fail_on: str) -> int:
    """What the command answers."""
    if report.unreadable:
        return UsageError.exit_code
    if fail_on == "never":
        return 0
    threshold = Severity(fail_on)
    return int(
        any(report.counts[severity] for severity in Severity if severity.is_at_least(threshold))
    )
