"""`transom userdata lint`: sources, forms, exit codes, and what it never prints."""

import base64
import json
from pathlib import Path

import pytest

from transom.cli.main import main

SCHEMAS = Path(__file__).parents[4] / "src" / "transom" / "schemas"
BAD = "#cloud-config\nruncmd: echo a\n"
GOOD = "#cloud-config\nruncmd: [echo a]\n"


@pytest.fixture
def lint(tmp_path, capsys):
    """Lint a text with options; give exit code, output and complaints."""

    def run(text, *options):
        file = tmp_path / "user-data"
        file.write_text(text)
        code = main(["userdata", "lint", str(file), *options])
        return code, *capsys.readouterr()

    return run


def test_clean_boot_data_is_said_to_be_clean(lint):
    assert lint(GOOD) == (0, "nothing found in 1 file\n", "")


def test_findings_decide_the_exit_code(lint):
    assert lint(BAD)[0] == 1
    assert lint(BAD, "--fail-on", "never")[0] == 0


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "github"])
def test_every_form_names_the_trap(lint, form):
    assert "BOOT040" in lint(BAD, "-o", form)[1]


def test_the_story_is_a_document_of_its_schema(lint):
    import jsonschema_rs

    document = json.loads(lint(BAD, "--explain", "-o", "json")[1])
    schema = json.loads((SCHEMAS / "boot-story-v1alpha1.schema.json").read_text("utf-8"))
    jsonschema_rs.validator_for(schema).validate(document)
    assert [act["action"] for act in document["story"]] == ["run"]
    assert document["outcome"] == "done"
    assert [finding["rule"] for finding in document["findings"]] == ["BOOT040"]


def test_a_story_has_no_other_form(lint):
    code, _out, complaint = lint(BAD, "--explain", "-o", "sarif")
    assert code == 2
    assert "text or as json" in complaint


@pytest.mark.parametrize("key", ["data", "stringData"])
def test_a_secret_is_opened(lint, key):
    value = base64.b64encode(BAD.encode()).decode() if key == "data" else BAD
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "boot", "namespace": "a"}}
    code, out, _ = lint(json.dumps({**secret, key: {"value": value}}))
    assert code == 1
    assert "where: Secret a/boot, runcmd" in out


def test_a_secret_without_boot_data_says_which_one_has_it(lint):
    code, _, complaint = lint("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {}\n")
    assert code == 2
    assert "dataSecretName" in complaint


def test_secrets_are_not_printed(lint):
    text = (
        "#cloud-config\nwrite_files: [{path: 'C:\\a', content: 'token: abcdef.0123456789abcdef'}]\n"
        "users: [{name: a, passwd: $6$hunter2hunter2}]\nruncmd: ["
    )
    for options in ((), ("--explain",), ("-o", "json")):
        for data in (text, text + "]"):
            out = "".join(map(str, lint(data, *options)))
            assert "0123456789abcdef" not in out
            assert "hunter2" not in out


def test_a_missing_file_is_a_mistake_of_the_user(capsys):
    assert main(["userdata", "lint", "/no/such/file"]) == 2
    assert "cannot read" in capsys.readouterr().err
