"""Findings as workflow commands of GitHub Actions, which become annotations of a change."""

from collections.abc import Iterator

from transom.model.finding import Severity
from transom.model.report import Report

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: Report) -> Iterator[str]:
    """One line per finding, and one per input that could not be read."""
    for finding in report.findings():
        yield _command(
            _COMMANDS[finding.severity],
            {
                "file": finding.file,
                "line": str(finding.line),
                "col": str(finding.column),
                "title": finding.rule,
            },
            f"{finding.message}. {finding.fix}",
        )
    for mistake in report.unreadable:
        yield _command(
            "error",
            {
                "file": mistake.file,
                "line": str(mistake.line),
                "col": str(mistake.column),
                "title": "unreadable",
            },
            mistake.message,
        )


def _command(name: str, properties: dict[str, str], message: str) -> str:
    pairs = ",".join(
        f"{key}={_escape(value, in_property=True)}"
        for key, value in properties.items()
        if value not in ("", "0")
    )
    return f"::{name} {pairs}::{_escape(message, in_property=False)}\n"


def _escape(text: str, *, in_property: bool) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text
