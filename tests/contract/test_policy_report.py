"""PolicyReports of `transom lint --cluster`, against the CustomResourceDefinitions as a policy engine ships them."""

import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import jsonschema_rs
import pytest
import yaml
from tests.support.contract_capi_definitions import closed

from transom.model.finding import Finding, Severity
from transom.model.report import Report, Shown
from transom.report.policyreport import render

pytestmark = pytest.mark.go
MODULE = "github.com/kyverno/kyverno@v1.12.6"
SUM = "h1:+27vk/JrWxpcNW4PipaZT4bRn3vvY4MSKDw3IrWDVyw="
TIMEOUT_S = 300


@cache
def validators():
    go = shutil.which("go")
    if go is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Go is needed to fetch the definitions of PolicyReports")
        pytest.skip("Go is not installed")
    done = subprocess.run(
        [go, "mod", "download", "-json", MODULE],
        capture_output=True, text=True, check=False, timeout=TIMEOUT_S, cwd="/",
        env={**os.environ, "GONOSUMDB": "*", "GOWORK": "off"},
    )  # fmt: skip
    found = json.loads(done.stdout or "{}")
    assert found.get("Sum") == SUM, found.get("Error", done.stderr)
    made = {}
    for file in (Path(found["Dir"]) / "config/crds/policyreport").glob("*.yaml"):
        crd = yaml.load(file.read_text("utf-8"), Loader=yaml.CSafeLoader)
        for version in crd["spec"]["versions"]:
            schema = version["schema"]["openAPIV3Schema"]
            schema["properties"]["metadata"] = {"type": "object"}
            api = f"{crd['spec']['group']}/{version['name']}"
            made[api, crd["spec"]["names"]["kind"]] = jsonschema_rs.validator_for(
                closed(schema) | {"$schema": "http://json-schema.org/draft-04/schema#"}
            )
    return made


def finding(severity, namespace="shop", name="web"):
    return Finding(
        "WIN001", severity, "cluster/shop/Deployment/web", 0, 0, "Deployment", namespace, name,
        "spec.hostPID", "hostPID: rejected", "Remove it.", "validation.go", ("os.name",),
    )  # fmt: skip


def reports(*findings):
    report = Report([Shown(found) for found in findings], {})
    return json.loads("".join(render(report)))["items"]


@pytest.mark.timeout(600)
def test_the_definitions_take_every_report():
    items = reports(
        *(finding(severity) for severity in Severity), finding(Severity.ERROR, namespace="")
    )
    assert [item["kind"] for item in items] == ["PolicyReport", "ClusterPolicyReport"]
    empty = Report([], {}, standing=[("shop", "transom-lint"), ("", "transom-lint")])
    items += json.loads("".join(render(empty)))["items"]
    assert [item["kind"] for item in items[2:]] == ["PolicyReport", "ClusterPolicyReport"]
    for item in items:
        validator = validators()[item["apiVersion"], item["kind"]]
        assert [error.message for error in validator.iter_errors(item)] == []


@pytest.mark.timeout(600)
def test_a_field_that_is_none_is_noticed():
    """Else the definitions would prove nothing."""
    (item,) = reports(finding(Severity.ERROR))
    item["results"][0]["severty"] = "high"
    validator = validators()[item["apiVersion"], item["kind"]]
    assert any("severty" in error.message for error in validator.iter_errors(item))


def test_results_are_counted_and_large_reports_divided():
    first, second = reports(*[finding(Severity.ERROR)] * 999, *[finding(Severity.WARNING)] * 2)
    assert first["metadata"]["name"] == "transom-lint"
    assert first["summary"] == {"pass": 0, "fail": 999, "warn": 1, "error": 0, "skip": 0}
    assert second["metadata"] == {
        "name": "transom-lint-2",
        "labels": {"app.kubernetes.io/managed-by": "transom"},
        "namespace": "shop",
    }
