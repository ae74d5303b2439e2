"""`transom schema` prints or writes the shipped schema."""

import json

import pytest

from transom.cli.main import main
from transom.documents.catalogue import DOCUMENTS
from transom.documents.schema import schema_of
from transom.spec.schema import schema_of_files, schema_text
from transom.spec.shapes.client import CLIENT
from transom.spec.shapes.document import FLEET, WINDOWS_HOST

SHIPPED = schema_text(schema_of_files("fleet-v1alpha2", (FLEET, WINDOWS_HOST, CLIENT)))


def test_the_schema_is_printed(capsys):
    assert main(["schema"]) == 0
    assert capsys.readouterr().out == SHIPPED


def test_a_dash_prints_too(capsys):
    assert main(["schema", "fleet", "-o", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "Fleet, WindowsHost or Client"


def test_the_schema_is_written_and_said_so_on_standard_error(tmp_path, capsys):
    file = tmp_path / "fleet.schema.json"
    assert main(["schema", "-o", str(file)]) == 0
    assert file.read_bytes().decode() == SHIPPED
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"written: {file}\n")


def test_a_file_that_cannot_be_written_is_the_users_matter(tmp_path, capsys):
    file = tmp_path / "absent" / "fleet.schema.json"
    assert main(["schema", "-o", str(file)]) == 2
    assert f"cannot write {file}" in capsys.readouterr().err


def test_help_shows_the_line_for_editors(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["schema", "--help"])
    out = capsys.readouterr().out
    assert "# yaml-language-server: $schema=./fleet-v1alpha2.schema.json" in out


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_each_document_has_its_schema(document, capsys):
    assert main(["schema", document.name]) == 0
    assert json.loads(capsys.readouterr().out) == schema_of(document.declaration)
