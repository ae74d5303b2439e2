"""One value of an odd shape costs what needs it and nothing else, and is named."""

import dataclasses
import io
import json

import pytest
from tests.support.node_doctor import balancer, hns, remote, sight
from tests.support.node_doctor_causes import UNKNOWN_FLAG, ended

from transom.model.finding import Severity
from transom.node.doctor.causes import DIAGNOSES
from transom.node.doctor.collection import read_collection
from transom.node.doctor.examination import examine
from transom.node.verbs.program import main

ODD = {
    "a policy that is null": {
        "networks": (
            {**hns().networks[0], "Ipams": [{"Subnets": [{"Policies": [None]}]}]},
            hns().networks[1],
        )
    },
    "flags that are a word": {"endpoints": (*hns().endpoints, {"ID": "X", "Flags": "remote"})},
    "addresses that are words": {
        "endpoints": (*hns().endpoints, remote("X", "", IpConfigurations=["10.244.9.9"]))
    },
    "ports that are a number": {
        "balancers": (*hns().balancers, {**balancer("X", "10.96.0.9"), "PortMappings": 80})
    },
    "an object that is none": {"endpoints": (*hns().endpoints, None)},
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_answer_of_the_network_service_is_named_and_hides_no_other_cause(host, look, name):
    ended(host, UNKNOWN_FLAG)
    host.vitals.hns_state = hns(**ODD[name])
    examined = examine(look(host, sight(host)))
    assert examined.findings[0].rule == "flag-refused"
    assert [why for why in examined.unread.values() if "an odd value" in why], examined


@pytest.mark.parametrize("name", ODD)
def test_an_odd_answer_is_not_taken_for_an_empty_one(host, look, name):
    """The network is there, and nothing may say that it is gone or that nobody answers."""
    host.vitals.hns_state = hns(**ODD[name])
    rules = {finding.rule for finding in examine(look(host)).findings}
    assert rules.isdisjoint({"hns-unreachable", "hns-network-missing", "host-network-missing"})


@pytest.mark.parametrize("diagnosis", DIAGNOSES, ids=lambda item: item.id)
def test_a_cause_that_cannot_judge_costs_no_other_its_verdict(host, look, diagnosis):

    def odd(_seen):
        yield from ()
        raise TypeError("'NoneType' object is not iterable")

    ended(host, UNKNOWN_FLAG)
    causes = [
        dataclasses.replace(item, examine=odd) if item is diagnosis else item for item in DIAGNOSES
    ]
    examined = examine(look(host), causes)
    assert "could not be judged" in examined.unread[f"cause {diagnosis.id}"]
    if diagnosis.id != "flag-refused":
        assert [finding.rule for finding in examined.findings] == ["flag-refused"]


def looks(host):
    """Every question that a diagnosis asks a host, by noun and name."""
    return [
        *((host.system, name) for name in ("build", "computer_name", "reboot_pending", "elevated")),
        *((host.network, name) for name in ("adapters", "dns_suffixes", "has_route")),
        *((host.vitals, name) for name in ("service", "hns", "volume", "pipes")),
        *((host.files, name) for name in ("kind", "read", "open", "entries", "acl", "sha256")),
        (host.environment, "get"),
        (host.features, "state"),
        (host.services, "get"),
    ]


@pytest.mark.parametrize("number", range(20))
@pytest.mark.parametrize("error", [ValueError("odd"), TypeError("odd"), OverflowError("odd")])
def test_no_odd_answer_of_the_host_ends_a_look(host, look, monkeypatch, number, error):
    noun, name = looks(host)[number]

    def odd(*_words, **_named):
        raise error

    monkeypatch.setattr(noun, name, odd)
    seen = look(host)
    assert seen.unread or seen.journal.problem, name
    examine(seen)


def test_there_are_as_many_questions_as_are_tried(host):
    assert len(looks(host)) == 20


def test_an_odd_value_is_named_by_the_command_and_in_its_document(host):
    host.vitals.hns_state = hns(**ODD["flags that are a word"])
    out = io.StringIO()
    assert main(["doctor"], machine=host, stdin=io.StringIO(), stdout=out) == 0
    assert "not looked at: cause hns-endpoints-leaked: it could not be judged" in out.getvalue()
    out = io.StringIO()
    main(["doctor", "-o", "json"], machine=host, stdin=io.StringIO(), stdout=out)
    unreadable = [item["file"] for item in json.loads(out.getvalue())["unreadable"]]
    assert "cause hns-endpoints-leaked" in unreadable


def test_a_warning_alone_is_no_failure(host):
    """Whoever asks in a script asks whether the node is broken."""
    host.system.pending = True
    out = io.StringIO()
    assert main(["doctor", "-o", "json"], machine=host, stdin=io.StringIO(), stdout=out) == 0
    (finding,) = json.loads(out.getvalue())["findings"]
    assert finding["severity"] == Severity.WARNING.value
    assert finding["interrupts"].startswith("Every pod on this node")


def test_an_archive_with_odd_values_is_examined_too(host):
    host.vitals.hns_state = hns(**ODD["flags that are a word"])
    out = io.StringIO()
    main(["collect"], machine=host, stdin=io.StringIO(), stdout=out)
    content = host.files.read(json.loads(out.getvalue())["path"])
    again = read_collection(io.BytesIO(content), name="a.zip")
    assert "cause hns-endpoints-leaked" in examine(again).unread
