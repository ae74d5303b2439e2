"""Findings for people: the offending line with a caret below it, why, and what to do."""

from collections.abc import Callable, Iterator

from transom.model.finding import Finding, Severity
from transom.model.report import Report, Shown
from transom.report.colour import styled

# Gives a text in a style, or plain.
_Paint = Callable[[str, str], str]

_STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "dim"}


def render(report: Report, *, in_colour: bool = False) -> Iterator[str]:
    """Give the text in pieces."""
    paint: _Paint = styled if in_colour else _plain
    for shown in report.shown:
        yield _finding(shown, paint)
    for found in report.overruled:
        yield (
            f"{found.file}:{found.line}: overruled: {found.tool} {found.check} of {found.owner}: "
            f"{found.reason}\n"
        )
    yield _summary(report)


def _plain(text: str, style: str) -> str:
    del style
    return text


def _finding(shown: Shown, paint: _Paint) -> str:
    finding, source = shown
    place = ":".join(str(part) for part in (finding.file, finding.line, finding.column) if part)
    severity = paint(finding.severity.value, _STYLES[finding.severity])
    text = f"{paint(place, 'bold')}: {severity}: {finding.message} [{finding.rule}]\n"
    if source is not None:
        number = str(finding.line or "")
        text += f"  {number} | {source}\n"
        # Tabs keep their width, so that the caret stands below the character it means.
        indent = "".join("\t" if char == "\t" else " " for char in source[: finding.column - 1])
        if finding.column:
            text += f"  {' ' * len(number)} | {indent}{paint('^', 'bold')}\n"
    owner = " ".join(part for part in (finding.kind, _name(finding)) if part)
    if owner:
        text += f"  where: {', '.join(part for part in (owner, finding.path) if part)}\n"
    if finding.evidence:
        text += f"  why:   for Windows: {finding.evidence[0]}\n"
    return f"{text}  next:  {finding.fix}\n\n"


def _name(finding: Finding) -> str:
    return f"{finding.namespace}/{finding.name}" if finding.namespace else finding.name


def _summary(report: Report) -> str:
    counts = report.counts
    files = f"{report.files} file{'' if report.files == 1 else 's'}"
    ignored = f", {report.ignored} ignored" if report.ignored else ""
    ignored += f", {report.skipped} not read" if report.skipped else ""
    if not any(counts.values()):
        return f"nothing found in {files}{ignored}\n"
    words = ", ".join(
        f"{count} {severity.value}{_plural(severity, count)}"
        for severity, count in counts.items()
        if count
    )
    fixable = f", {report.fixable} fixable with `transom fix`" if report.fixable else ""
    return f"{words} in {files}{fixable}{ignored}\n"


def _plural(severity: Severity, count: int) -> str:
    return "s" if count != 1 and severity is not Severity.INFO else ""
