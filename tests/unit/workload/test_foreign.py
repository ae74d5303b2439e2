"""Findings of other linters are judged by the object they mean, however each tool says where."""

import pytest

from transom.model.version import Version
from transom.workload.context import LintContext
from transom.workload.foreign import overrule, spans_in
from transom.yamlio.loader import load

CTX = LintContext(kubernetes=Version(1, 37))
TEXT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: db, namespace: shop}
spec: {template: {spec: {os: {name: linux}, containers: []}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {os: {name: windows}, containers: []}}}
"""


def kube_linter(name):
    """A result as pkg/command/lint/sarif_format.go of KubeLinter writes it."""
    names = {"Object Name": name, "Object Namespace": "shop", "GVK/Group": "apps"}
    names |= {"GVK/Version": "v1", "GVK/Kind": "Deployment"}
    return {
        "ruleId": "no-read-only-root-fs",
        "message": {"text": "container has no read-only root file system"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "deploy/web.yaml"},
                    "region": {"startLine": 1},
                },
                "logicalLocations": [
                    {"name": value, "kind": kind} for kind, value in names.items()
                ],
            }
        ],
    }


def kube_score(line):
    """A result as renderer/sarif/sarif.go of kube-score writes it."""
    place = {
        "artifactLocation": {"uri": "file://deploy/web.yaml"},
        "contextRegion": {"startLine": line},
    }
    return {
        "ruleId": "container-security-context-readonlyrootfilesystem",
        "message": {"text": "Container has no configured security context"},
        "locations": [{"physicalLocation": place}],
    }


def checkov(line, uri="web.yaml"):
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": line, "endLine": line + 3}}
    return {"ruleId": "CKV_K8S_22", "message": {}, "locations": [{"physicalLocation": place}]}


def owners(tool, *results):
    spans = spans_in(load(TEXT, name="./deploy/web.yaml"), CTX)
    log = {"runs": [{"tool": {"driver": {"name": tool}}, "results": list(results)}]}
    judged, overruled = overrule(log, spans)
    suppressed = [bool(item.get("suppressions")) for item in judged["runs"][0]["results"]]
    return suppressed, [found.owner for found in overruled]


@pytest.mark.parametrize(
    ("tool", "linux", "windows"),
    [
        ("kube-linter", kube_linter("db"), kube_linter("web")),
        ("kube-score", kube_score(1), kube_score(6)),
        ("Checkov", checkov(1), checkov(6)),
        ("Checkov", checkov(1, "/home/me/deploy/web.yaml"), checkov(9, "/home/me/deploy/web.yaml")),
    ],
)
def test_only_what_means_a_windows_pod_is_overruled(tool, linux, windows):
    assert owners(tool, linux, windows) == ([False, True], ["Deployment web"])


def test_another_file_and_another_check_are_left_alone():
    elsewhere = checkov(6, "deploy/other.yaml")
    other = {**checkov(6), "ruleId": "CKV_K8S_21"}
    assert owners("Checkov", elsewhere, other) == ([False, False], [])


@pytest.mark.parametrize("log", [None, [], {}, {"runs": "many"}])
def test_what_is_no_log_is_refused(log):
    with pytest.raises(ValueError, match="runs"):
        overrule(log, [])
