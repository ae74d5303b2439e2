"""Findings as one JSON document: the stable form for programs."""

import json
from dataclasses import asdict
from typing import Any

from transom.cli.findings import Report
from transom.model.finding import Finding

API_VERSION = "transom.dev/v1alpha1"
KIND = "Findings"


def render(report: Report) -> str:
    """The document as text, with one line per finding: indenting more would triple the cost."""
    document = document_of(report)
    findings = ",\n".join(f"    {_compact(entry)}" for entry in document.pop("findings"))
    head = {name: document.pop(name) for name in ("apiVersion", "kind")}
    parts = [f"  {_compact(name)}: {_compact(value)}" for name, value in head.items()]
    parts.append(f'  "findings": [\n{findings}\n  ]' if findings else '  "findings": []')
    parts += (f"  {_compact(name)}: {_compact(value)}" for name, value in document.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def document_of(report: Report) -> dict[str, Any]:
    """The document as a value."""
    counts = {severity.value: count for severity, count in report.counts().items()}
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "findings": [_entry(finding) for finding in report.findings],
        "overruled": [asdict(overruled) for overruled in report.overruled],
        "unreadable": [asdict(mistake) for mistake in report.unreadable],
        "summary": {
            "files": report.files,
            "ignored": report.ignored,
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
