"""Findings as SARIF 2.1.0, for code scanning and editors."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from transom import __version__
from transom.model.finding import Finding, Severity
from transom.model.problem import Mistake
from transom.model.report import Report

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RESULTS = "the results are written here one by one"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(report: Report) -> Iterator[str]:
    """The log as text."""
    first = _first_of_each_rule(report)
    index = {rule: number for number, rule in enumerate(first)}
    text = json.dumps(_log(report, first), ensure_ascii=False, indent=2)
    before, _, after = text.partition(json.dumps(_RESULTS))
    yield before
    separator = ""
    for finding in report.findings():
        yield separator + json.dumps(_result(finding, index), ensure_ascii=False)
        separator = ",\n        "
    yield f"{after}\n"


def _first_of_each_rule(report: Report) -> dict[str, Finding]:
    first: dict[str, Finding] = {}
    for finding in report.findings():
        first.setdefault(finding.rule, finding)
    return dict(sorted(first.items()))


def _log(report: Report, first: dict[str, Finding]) -> dict[str, Any]:
    """The log as a value, with a mark where its results belong."""
    run = {
        "tool": {
            "driver": {
                "name": report.tool,
                "semanticVersion": __version__,
                "rules": [_rule(finding) for finding in first.values()],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_RESULTS],
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


def _rule(first: Finding) -> dict[str, Any]:
    # What was found stands in brackets before the verdict, and differs from place to place.
    title = first.message.partition(":")[0].partition(" (")[0]
    return {
        "id": first.rule,
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
