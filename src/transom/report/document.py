"""Findings as one JSON document: the stable form for programs."""

import json
from collections.abc import Iterator
from typing import Any

from transom.model.api_versions import written
from transom.model.finding import Finding
from transom.model.report import Report

KIND = "Findings"


def render(report: Report) -> Iterator[str]:
    """The document as text, with one line per finding: indenting more would triple the cost."""
    yield f'{{\n  "apiVersion": "{written(KIND)}",\n  "kind": "{KIND}",\n  "findings": ['
    before, after = "\n    ", "]"
    for finding in report.findings():
        yield f"{before}{_compact(_entry(finding))}"
        before, after = ",\n    ", "\n  ]"
    rest = (f",\n  {_compact(name)}: {_compact(value)}" for name, value in _rest(report).items())
    yield f"{after}{''.join(rest)}\n}}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rest(report: Report) -> dict[str, Any]:
    counts = {severity.value: count for severity, count in report.counts.items()}
    return {
        "overruled": [overruled._asdict() for overruled in report.overruled],
        "unreadable": [mistake._asdict() for mistake in report.unreadable],
        "summary": {
            "files": report.files,
            "ignored": report.ignored,
            "skipped": report.skipped,
            "fixable": report.fixable,
            "unreadable": len({mistake.file for mistake in report.unreadable}),
            **counts,
        },
    }


def _entry(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "kind": finding.kind,
        "namespace": finding.namespace,
        "name": finding.name,
        "path": finding.path,
        "message": finding.message,
        "fix": finding.fix,
        "source": finding.source,
        "evidence": list(finding.evidence),
    }
