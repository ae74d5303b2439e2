"""The verbs doctor and collect of the node program: what they print and how they end."""

import hashlib
import io
import json

import pytest
from jsonschema_rs import Draft202012Validator
from tests.support.node_doctor import sight
from tests.support.node_doctor_causes import UNKNOWN_FLAG, ended

from transom.documents.schema import schema_of
from transom.model.codec import encode
from transom.model.sight import Given
from transom.node.doctor.collection import read_collection
from transom.node.verbs.program import main


@pytest.fixture
def call(host):
    def run(*words, given=None):
        out = io.StringIO()
        text = "" if given is None else json.dumps(encode(given))
        code = main(list(words), machine=host, stdin=io.StringIO(text), stdout=out)
        return code, out.getvalue()

    return run


def test_a_host_that_is_well_ends_with_0(call):
    assert call("doctor") == (0, "win-01: nothing found\n")


def test_a_cause_ends_with_1_and_says_what_to_do(host, call):
    ended(host, UNKNOWN_FLAG)
    code, said = call("doctor")
    assert code == 1
    assert "1. error: kubelet does not know the flag --network-plugin [flag-refused]" in said
    assert "next: Take it off the service's command line" in said
    assert "interrupts: Nothing more: the service is not running." in said


def test_the_document_is_that_of_every_checker(host, call):
    from transom.documents.findings import FindingsDocument

    ended(host, UNKNOWN_FLAG)
    code, said = call("doctor", "-o", "json")
    document = json.loads(said)
    Draft202012Validator(schema_of(FindingsDocument)).validate(document)
    assert code == 1
    assert [item["rule"] for item in document["findings"]] == ["flag-refused"]
    assert document["summary"]["error"] == 1


def test_the_view_of_the_cluster_is_given_on_stdin(host, call):
    given = Given(cluster=sight(host, node=None))
    code, said = call("doctor", "--given", "-o", "json", given=given)
    assert (code, json.loads(said)["findings"][0]["rule"]) == (1, "node-missing")


def test_what_cannot_be_read_on_stdin_is_the_callers_mistake(host):
    for form, begins in (("json", '{"apiVersion'), ("text", "error: what was given has 1 mistake")):
        out = io.StringIO()
        argv = ["doctor", "--given", "-o", form]
        assert main(argv, machine=host, stdin=io.StringIO("{"), stdout=out) == 2
        assert out.getvalue().startswith(begins)


def test_collect_writes_one_closed_archive_and_names_it(host, call):
    code, said = call("collect")
    answer = json.loads(said)
    assert (code, answer["kind"]) == (0, "Collected")
    assert answer["path"] == r"C:\k\transom\collected\transom-win-01-20260921T141320Z.zip"
    content = host.files.read(answer["path"])
    assert hashlib.sha256(content).hexdigest() == answer["sha256"]
    assert ";;;BU)" not in host.files.acl(answer["path"])
    assert read_collection(io.BytesIO(content), name="a").host == "win-01"


def test_looking_changes_nothing_of_the_host(host, call):
    before = host.snapshot()
    call("doctor")
    call("doctor", "-o", "json")
    assert host.snapshot() == before
