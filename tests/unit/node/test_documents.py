"""Every document of the node program is what its declaration says, and no more."""

import io
import json

import pytest
from jsonschema_rs import Draft202012Validator

from transom.documents.catalogue import DOCUMENTS
from transom.documents.schema import schema_of
from transom.model.codec import encode
from transom.model.request import Verb
from transom.node.layout import Layout
from transom.node.verbs.program import main

NAMES = {
    "Event": "event",
    "Failure": "failure",
    "Inventory": "inventory",
    "NodeStatus": "node-status",
    "Plan": "plan",
    "Result": "result",
    "SelfTest": "self-test",
}


def validate(name, document):
    # Closed, although what is shipped is open: nothing may be printed that is not declared.
    declared = next(item for item in DOCUMENTS if item.name == name)
    Draft202012Validator(schema_of(declared.declaration)).validate(document)


@pytest.fixture
def call(make_host):
    """Run verbs on one host; each line said is checked, and the kinds of document are given."""
    host = make_host()

    def kinds(*argv, request=None):
        out = io.StringIO()
        text = json.dumps(encode(request))
        main(argv, machine=host, stdin=io.StringIO(text), stdout=out)
        documents = [json.loads(line) for line in out.getvalue().splitlines()]
        for document in documents:
            assert document["apiVersion"] == "node.transom.dev/v1alpha1"
            validate(NAMES[document["kind"]], document)
        return [document["kind"] for document in documents]

    kinds.host = host  # type: ignore[attr-defined]
    return kinds


def test_answers_events_and_the_journal_are_as_declared(call, request_for):
    assert call("inventory") == ["Inventory"]
    assert call("plan", request=request_for(Verb.PLAN)) == ["Plan"]
    kinds = call("join", "--foreground", "--run", "r1", request=request_for(Verb.JOIN))
    assert set(kinds[:-1]) == {"Event"}
    assert kinds[-1] == "Result"
    assert call("status") == ["NodeStatus"]
    assert call("selftest") == ["SelfTest"]
    call("reset", "--foreground", request=request_for(Verb.RESET, keep_on_failure=True))


def test_each_line_of_a_journal_is_a_record(call, request_for):
    call("prepare", "--foreground", request=request_for(Verb.PREPARE))
    call.host.source.content.clear()
    call("undo", "--foreground", request=request_for(Verb.UNDO))
    lines = call.host.disk.read(Layout().journal).decode().splitlines()
    records = [json.loads(line.partition(" ")[2]) for line in lines]
    for record in records:
        validate("journal-record", record)
    assert records[0]["kind"] == "Journal"
    assert {record["record"] for record in records} == {"owner", "intent", "settled"}


def test_a_refusal_and_an_unreadable_request_are_failures_as_declared(call, request_for):
    call.host.system.admin = False
    assert call("plan", request=request_for(Verb.PLAN)) == ["Plan"]
    kinds = call("prepare", "--foreground", request=request_for(Verb.PREPARE))
    assert kinds[-1] == "Failure"
    assert call("prepare", "--foreground", request="nothing") == ["Failure"]
