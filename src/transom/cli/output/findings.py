"""Where findings go: the forms a person asked for, standard output or files, and the exit code."""

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from transom.cli.output import console
from transom.errors import UsageError
from transom.model.finding import Severity

if TYPE_CHECKING:
    from argparse import ArgumentParser, _ArgumentGroup

    from transom.model.problem import Mistake
    from transom.model.report import Report

FORMS = ("text", "json", "sarif", "junit", "github")
# What is done about what cannot be read: exit code 2, or only said.
FAIL, REPORT = "fail", "report"
# Lines for people and programs alike; the other forms are one document each.
_LINES = ("text", "github")


def add_arguments(
    parser: "ArgumentParser | _ArgumentGroup", *, forms: Sequence[str] = FORMS
) -> None:
    """Add how findings are told and from which severity on they fail the command."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="FORM[=FILE]",
        action="append",
        default=[],
        help=f"{', '.join(forms)}; repeatable (default: text)",
    )
    parser.add_argument(
        "--fail-on",
        choices=["error", "warning", "info", "never"],
        help="the severity from which the exit code is 1 (default: error)",
    )


def parse_outputs(texts: Sequence[str], *, forms: Sequence[str] = FORMS) -> list[tuple[str, str]]:
    """The forms that are wanted, each with its file, which is empty for standard output."""
    outputs = [_parse(text, forms) for text in texts or ["text"]]
    shown = [form for form, file in outputs if not file]
    if len(shown) > 1 and not all(form in _LINES for form in shown):
        raise UsageError(
            f"{' and '.join(shown)} cannot share standard output",
            subject="-o",
            hint=f"write one to a file, as in `-o {shown[-1]}=FILE`",
        )
    return outputs


def _parse(text: str, forms: Sequence[str]) -> tuple[str, str]:
    form, named, file = text.partition("=")
    if form not in forms:
        raise UsageError(
            f"there is no output {form!r}", subject="-o", hint=f"choose from {', '.join(forms)}"
        )
    if named and not file:
        raise UsageError(
            f"no file is named in {text!r}", subject="-o", hint=f"write `-o {form}=FILE`"
        )
    return form, file


def write_report(form: str, file: str, report: "Report") -> None:
    """Write the findings in a form."""
    pieces = _rendered(form, report, in_colour=not file and console.use_color(sys.stdout))
    if file:
        write_file(file, pieces)
    else:
        sys.stdout.writelines(pieces)


def _rendered(form: str, report: "Report", *, in_colour: bool) -> Iterable[str]:
    from importlib import import_module

    if form == "text":
        from transom.report import text

        return text.render(report, in_colour=in_colour)
    name = "document" if form == "json" else form
    pieces: Iterable[str] = import_module(f"transom.report.{name}").render(report)
    return pieces


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


def tell_left_out(templates: Mapping[str, int], hidden: Collection[str] = ()) -> None:
    """Say on standard error what was not looked at, in one line per chart and reason."""
    for chart, count in sorted(templates.items()):
        what = f"{count} template{'' if count == 1 else 's'} not read"
        print(
            f"note: {chart}: {what}; lint what is rendered: `helm template {chart} | transom lint -`",
            file=sys.stderr,
        )
    if hidden:
        shown = sorted(hidden)
        more = f" and {len(shown) - 1} more" if len(shown) > 1 else ""
        print(f"note: {shown[0]}{more}: name a folder with a dot to lint it", file=sys.stderr)


def exit_code(report: "Report", fail_on: str, *, on_unreadable: str = FAIL) -> int:
    """What the command answers."""
    if report.unreadable and on_unreadable == FAIL:
        return UsageError.exit_code
    if fail_on == "never":
        return 0
    threshold = Severity(fail_on)
    return int(
        any(report.counts[severity] for severity in Severity if severity.is_at_least(threshold))
    )
