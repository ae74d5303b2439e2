"""`transom schema --format` prints what API servers and kustomize read."""

import json

import yaml

from transom.cli.main import main


def test_the_definitions_for_an_api_server_are_printed(capsys):
    assert main(["schema", "--format", "crd"]) == 0
    printed = list(yaml.safe_load_all(capsys.readouterr().out))
    assert [each["metadata"]["name"] for each in printed] == [
        "fleets.transom.dev",
        "windowshosts.transom.dev",
    ]


def test_the_merge_keys_for_kustomize_are_printed(capsys):
    assert main(["schema", "--format", "openapi"]) == 0
    definitions = json.loads(capsys.readouterr().out)["definitions"]
    assert list(definitions) == ["dev.transom.v1alpha2.Fleet", "dev.transom.v1alpha2.WindowsHost"]


def test_another_document_has_no_definition_for_an_api_server(capsys):
    assert main(["schema", "lock-report", "--format", "crd"]) == 2
    assert "`transom schema --format crd` prints" in capsys.readouterr().err


def test_the_definitions_are_written_to_a_file(tmp_path, capsys):
    file = tmp_path / "crds.yaml"
    assert main(["schema", "--format", "crd", "-o", str(file)]) == 0
    assert capsys.readouterr().err == f"written: {file}\n"
    assert len(list(yaml.safe_load_all(file.read_text("utf-8")))) == 2
