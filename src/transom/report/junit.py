"""Findings as JUnit XML: one suite per file, one failed case per finding."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from transom.model.finding import Finding, Severity
from transom.model.problem import Mistake
from transom.model.report import Report

# XML 1.0 has no way to write the other control characters, not even escaped.
_FORBIDDEN = {code: "?" for code in range(32) if code not in (9, 10, 13)}


def render(report: Report) -> Iterator[str]:
    """The document; information never fails a case."""
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="{report.tool}">\n'
    for file, findings in groupby(report.findings(), lambda finding: finding.file):
        yield _suite(file, findings=findings)
    for file, mistakes in groupby(report.unreadable, lambda mistake: mistake.file):
        yield _suite(file, mistakes=mistakes)
    yield "</testsuites>\n"


def _suite(file: str, *, findings: Iterable[Finding] = (), mistakes: Iterable[Mistake] = ()) -> str:
    findings, mistakes = list(findings), list(mistakes)
    failures = sum(finding.severity is not Severity.INFO for finding in findings)
    counts = f'tests="{len(findings) + len(mistakes)}" failures="{failures}"'
    head = f'  <testsuite name={_attribute(file)} {counts} errors="{len(mistakes)}">\n'
    cases = [*map(_case, findings), *map(_error, mistakes)]
    return "".join([head, *cases, "  </testsuite>\n"])


def _case(finding: Finding) -> str:
    name = f"{finding.rule} {finding.kind} {finding.name} {finding.path}"
    place = f"{finding.file}:{finding.line}:{finding.column}"
    body = _text(f"{place}\n{finding.message}\n{finding.fix}\n{finding.source}")
    head = f"    <testcase classname={_attribute(finding.rule)} name={_attribute(name)}>\n"
    if finding.severity is Severity.INFO:
        inner = f"      <system-out>{body}</system-out>\n"
    else:
        inner = (
            f"      <failure type={_attribute(finding.severity.value)} "
            f"message={_attribute(finding.message)}>{body}</failure>\n"
        )
    return f"{head}{inner}    </testcase>\n"


def _error(mistake: Mistake) -> str:
    place = f"{mistake.file}:{mistake.line}:{mistake.column}"
    return (
        f'    <testcase classname="unreadable" name={_attribute(place)}>\n'
        f"      <error message={_attribute(mistake.message)}>{_text(mistake.hint)}</error>\n"
        "    </testcase>\n"
    )


def _attribute(text: str) -> str:
    return quoteattr(text.translate(_FORBIDDEN))


def _text(text: str) -> str:
    return escape(text.translate(_FORBIDDEN))
