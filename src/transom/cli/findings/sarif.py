"""Findings as SARIF 2.1.0, for code scanning and editors."""

import json
from typing import Any
from urllib.parse import quote

from transom import __version__
from transom.cli.findings import Report
from transom.model.finding import Finding, Severity
from transom.model.problem import Mistake

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(report: Report) -> str:
    """The log as text."""
    return json.dumps(log_of(report), ensure_ascii=False, indent=2) + "\n"


def log_of(report: Report) -> dict[str, Any]:
    """The log as a value."""
    ids = sorted({finding.rule for finding in report.findings})
    index = {rule: number for number, rule in enumerate(ids)}
    run = {
        "tool": {
            "driver": {
                "name": "transom lint",
                "semanticVersion": __version__,
                "rules": [_rule(rule, report) for rule in ids],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, index) for finding in report.findings],
        "invocations": [
            {
                "executionSuccessful": not report.unreadable,
                "toolExecutionNotifications": [
                    _notification(mistake) for mistake in report.unreadable
                ],
            }
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run, *report.foreign_runs]}


def _rule(rule: str, report: Report) -> dict[str, Any]:
    first = next(finding for finding in report.findings if finding.rule == rule)
    # What was found stands in brackets before the verdict, and differs from place to place.
    title = first.message.partition(":")[0].partition(" (")[0]
    return {
        "id": rule,
        "shortDescription": {"text": title},
        "help": {"text": f"{first.fix} Source: {first.source}" if first.source else first.fix},
        "defaultConfiguration": {"level": _LEVELS[first.severity]},
    }


def _result(finding: Finding, index: dict[str, int]) -> dict[str, Any]:
    name = f"{finding.namespace}/{finding.name}" if finding.namespace else finding.name
    logical = {"fullyQualifiedName": f"{finding.kind}/{name}: {finding.path}", "kind": "member"}
    return {
        "ruleId": finding.rule,
        "ruleIndex": index[finding.rule],
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message}. {finding.fix}"},
        "locations": [
            {
                **_location(finding.file, finding.line, finding.column),
                "logicalLocations": [logical],
            }
        ],
        "partialFingerprints": {
            "transom/v1": f"{finding.rule}|{finding.kind}|{name}|{finding.path}",
        },
        "properties": {"evidence": list(finding.evidence)},
    }


def _notification(mistake: Mistake) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": mistake.message},
        "locations": [_location(mistake.file, mistake.line, mistake.column)],
    }


def _location(file: str, line: int, column: int) -> dict[str, Any]:
    physical: dict[str, Any] = {
        "artifactLocation": {"uri": quote(file.replace("\\", "/"), safe="/:")}
    }
    if line:
        physical["region"] = {"startLine": line, "startColumn": max(column, 1)}
    return {"physicalLocation": physical}
