"""Findings about live objects as PolicyReports of the Kubernetes policy working group.

One report per namespace, and one for objects of the whole cluster, in a List that `kubectl apply -f -` takes.
A report of before about which nothing is found any more comes empty: applying the List cannot delete it.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from transom.model.finding import Finding, Severity
from transom.model.report import Report

API_VERSION = "wgpolicyk8s.io/v1alpha2"
NAME = "transom-lint"
MANAGED_BY, MANAGER = "app.kubernetes.io/managed-by", "transom"
KINDS = ("PolicyReport", "ClusterPolicyReport")
# Far below what one object may weigh in etcd.
_MOST = 1_000
_RESULTS = {Severity.ERROR: "fail", Severity.WARNING: "warn", Severity.INFO: "warn"}
_SEVERITIES = {Severity.ERROR: "high", Severity.WARNING: "medium", Severity.INFO: "info"}


def render(report: Report) -> Iterator[str]:
    """The List, with the reports of each namespace in the order they were met."""
    by_namespace: dict[str, list[dict[str, Any]]] = {}
    for finding in report.findings():
        by_namespace.setdefault(finding.namespace, []).append(_result(finding, report.tool))
    items = [
        _report(namespace, NAME if number == 1 else f"{NAME}-{number}", results)
        for namespace, found in by_namespace.items()
        for number, results in enumerate(_parts(found), start=1)
    ]
    made = {(item["metadata"].get("namespace", ""), item["metadata"]["name"]) for item in items}
    items += (
        _report(namespace, name, [])
        for namespace, name in report.standing
        if (namespace, name) not in made
    )
    document = {"apiVersion": "v1", "kind": "List", "items": items}
    yield f"{json.dumps(document, ensure_ascii=False, indent=2)}\n"


def _parts(results: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    rest = iter(results)
    while part := list(islice(rest, _MOST)):
        yield part


def _report(namespace: str, name: str, results: list[dict[str, Any]]) -> dict[str, Any]:
    labels = {MANAGED_BY: MANAGER}
    metadata: dict[str, Any] = {"name": name, "labels": labels}
    if namespace:
        metadata["namespace"] = namespace
    counts: Mapping[str, int] = {
        result: sum(item["result"] == result for item in results)
        for result in ("pass", "fail", "warn", "error", "skip")
    }
    return {
        "apiVersion": API_VERSION,
        "kind": KINDS[0] if namespace else KINDS[1],
        "metadata": metadata,
        "summary": counts,
        "results": results,
    }


def _result(finding: Finding, tool: str) -> dict[str, Any]:
    place = {"kind": finding.kind, "namespace": finding.namespace, "name": finding.name}
    properties = {"path": finding.path, "fix": finding.fix, "source": finding.source}
    return {
        "source": tool,
        "policy": "transom",
        "rule": finding.rule,
        "category": "Windows",
        "severity": _SEVERITIES[finding.severity],
        "result": _RESULTS[finding.severity],
        "scored": finding.severity is not Severity.INFO,
        "message": finding.message,
        "resources": [{name: text for name, text in place.items() if text}],
        "properties": {name: text for name, text in properties.items() if text},
    }
