"""Each cause is found first where it is present, by its name, and nothing where the host is well."""

import inspect
import json
import pkgutil
import re
import sys
from dataclasses import replace

import pytest
from tests.support.node import FLAGS_FILE, KUBELET
from tests.support.node_doctor import (
    CONFIG,
    LOG,
    STARTED,
    found,
    sight,
)
from tests.support.node_doctor_causes import (
    FAULTS,
    ON_HOST,
    UNKNOWN_FLAG,
    change_file,
    csr,
    ended,
    ids,
    node_with,
)

from transom.model.sight import ConditionSight, FlannelSight, RequestState
from transom.node.doctor import causes
from transom.node.doctor.causes import DIAGNOSES
from transom.node.doctor.diagnosis import Remedy
from transom.node.doctor.observation import Observation
from transom.node.doctor.page import page
from transom.node.doctor.redaction import Redactor


def clock(seconds):
    def fault(host):
        host.clock.time += seconds

    return fault


TOLD = {
    "clock-off": {"ahead": lambda host: sight(host, time=int(host.clock.now()) - 900)},
    "certificate-request-denied": {
        "denied": lambda host: sight(host, requests=(csr(RequestState.DENIED),)),
        "failed": lambda host: sight(host, requests=(csr(RequestState.FAILED),)),
    },
    "certificate-request-pending": {
        "pending": lambda host: sight(host, requests=(csr(RequestState.PENDING),)),
        "the newest counts": lambda host: sight(
            host,
            requests=(csr(RequestState.PENDING, created=20), csr(RequestState.DENIED, name="old")),
        ),
    },
    "no-lasting-approver": {"renewals": lambda host: sight(host, approvers=())},
    "node-missing": {"deleted": lambda host: sight(host, node=None)},
    "node-not-ready": {
        "another reason": lambda host: node_with(
            host, conditions=(ConditionSight(type="Ready", status="False", message="why"),)
        ),
        "pressure": lambda host: node_with(
            host, conditions=(ConditionSight(type="PIDPressure", status="True"),)
        ),
    },
    "overlay-differs": {
        "the Linux side": lambda host: sight(
            host,
            flannel=FlannelSight(network="10.244.0.0/16", backend="vxlan", vni=1, port=8472),
        ),
        "left to Linux' default": lambda host: sight(
            host, flannel=FlannelSight(network="10.244.0.0/16", backend="vxlan")
        ),
    },
    "pod-range-differs": {
        "the Node has another": lambda host: node_with(host, pod_cidrs=("10.244.8.0/24",))
    },
    "mtu-differs": {
        "the cluster's is smaller": lambda host: sight(
            host, flannel=replace(sight(host).flannel, mtu=1350)
        )
    },
}

FROM_CLUSTER = [(id_, name, act) for id_, cases in TOLD.items() for name, act in cases.items()]


def test_a_host_that_is_well_gives_nothing(host, look):
    seen = look(host)
    assert (found(seen), dict(seen.unread)) == ([], {})
    assert found(look(host, sight(host))) == []


def test_a_name_that_kubeadm_gave_the_kubelet_is_its_name(host, look):
    """It stands in kubeadm's file only, which each start reads."""
    host.system.name = "WIN-02"
    change_file(FLAGS_FILE, "--v=4", "--v=4 --hostname-override=win-01")(host)
    assert found(look(host)) == []


@pytest.mark.parametrize(
    ("id_", "name", "fault"), ON_HOST, ids=[f"{i}: {n}" for i, n, _ in ON_HOST]
)
def test_a_fault_of_the_host_is_found_first_and_by_name(host, look, id_, name, fault):
    fault(host)
    findings = found(look(host))
    assert ids(findings)[:1] == [id_], name
    assert set(ids(findings)) == {id_}


@pytest.mark.parametrize(
    ("id_", "name", "told"), FROM_CLUSTER, ids=[f"{i}: {n}" for i, n, _ in FROM_CLUSTER]
)
def test_what_only_the_cluster_knows_is_found_first_and_by_name(host, look, id_, name, told):
    findings = found(look(host, told(host)))
    assert set(ids(findings)) == {id_}, name


def test_a_consequence_is_not_told_beside_its_cause(host, look):
    ended(host, UNKNOWN_FLAG, 5)
    not_ready = (ConditionSight(type="Ready", status="Unknown", message="stopped posting"),)
    findings = found(look(host, node_with(host, conditions=not_ready)))
    assert ids(findings) == ["flag-refused"]
    assert "--network-plugin" in findings[0].message
    assert findings[0].evidence == (UNKNOWN_FLAG.strip(),)
    assert findings[0].file == LOG


def test_serving_certificates_nobody_approves_have_a_cause(host, look):
    change_file(KUBELET + r"\config.yaml", CONFIG, CONFIG + "serverTLSBootstrap: true\n")(host)
    waiting = tuple(
        csr(RequestState.PENDING, "kubernetes.io/kubelet-serving", name, created)
        for name, created in (("a", 1), ("b", 2))
    )
    assert ids(found(look(host, sight(host, requests=waiting)))) == ["no-lasting-approver"]


def test_a_kubelet_that_came_to_run_after_a_failure_is_well(host, look):
    host.files.write(LOG, (UNKNOWN_FLAG + STARTED).encode())
    assert found(look(host)) == []


def test_without_recipe_and_journal_what_can_be_seen_is_still_found(host, look):
    host.files.remove(r"C:\k\transom\state\recipe.json")
    assert found(look(host)) == []
    ended(host, UNKNOWN_FLAG)
    assert ids(found(look(host))) == ["flag-refused"]


def test_a_host_with_nothing_of_kubernetes_gives_nothing(make_host, look):
    assert found(look(make_host())) == []


def test_every_cause_has_a_fault_that_proves_it():
    assert {item.id for item in DIAGNOSES} == set(FAULTS) | set(TOLD)


@pytest.mark.parametrize("diagnosis", DIAGNOSES, ids=lambda item: item.id)
def test_a_diagnosis_is_complete(diagnosis):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", diagnosis.id)
    sentences = (
        *(diagnosis.symptom, diagnosis.cause),
        *(diagnosis.remedy.text, diagnosis.remedy.interrupts),
    )
    for text in (diagnosis.title, *sentences):
        assert text.strip() == text != ""
        assert Redactor().clean(text) == text
    for text in sentences:
        assert text.endswith(".")
    fields = set(Observation.__dataclass_fields__)
    assert set(diagnosis.looks_at) <= fields
    assert diagnosis.looks_at
    assert set(diagnosis.hides) <= {item.id for item in DIAGNOSES} - {diagnosis.id}


def test_a_diagnosis_looks_only_at_what_it_says():
    """What `looks_at` names is what the function reads of the observation, and of no other host."""
    for item in DIAGNOSES:
        source = inspect.getsource(sys.modules[item.examine.__module__])
        for field in Observation.__dataclass_fields__:
            if re.search(rf"\bseen\.{field}\b", source) and field != "host":
                assert field in item.looks_at, (item.id, field)


def test_each_file_of_causes_is_one_listed_diagnosis_named_after_it():
    files = {module.name for module in pkgutil.iter_modules(causes.__path__)}
    assert files == {item.id.replace("-", "_") for item in DIAGNOSES}
    assert len({item.id for item in DIAGNOSES}) == len(DIAGNOSES)


# What a remedy does, by its own words, and what whoever follows it must read before.
COSTS = (
    (r"Restart-Service hns", ("pod on this node loses its endpoint", "no Service answers")),
    (r"Remove-HnsNetwork", ("every pod on this node loses its network", "drain")),
    (r"[Rr]estart (?:flanneld and )?kube-proxy", ("Service", "from this node")),
    (r"\b[Rr]eset\b", ("every pod on this node",)),
    (r"Restart-Computer|reboot", ("every pod on this node",)),
    (r"Restart-Service kubelet|restart the kubelet|the flags on", ("unning containers",)),
    (r"restart containerd", ("Running containers go on",)),
)


def remedies():
    """Every remedy there is: those of the diagnoses, and those of single troubles by their source."""
    for item in DIAGNOSES:
        yield item.id, item.remedy
        module = sys.modules[item.examine.__module__]
        for value in vars(module).values():
            if isinstance(value, Remedy):
                yield item.id, value


@pytest.mark.parametrize(("id_", "remedy"), list(remedies()))
def test_a_remedy_says_what_it_interrupts(id_, remedy):
    for does, words in COSTS:
        if re.search(does, remedy.text):
            for word in words:
                assert word.lower() in remedy.interrupts.lower(), (id_, does)


def test_no_remedy_removes_what_every_service_needs():
    """All remote endpoints at once are the backends of every Service on the node."""
    for id_, remedy in remedies():
        assert "IsRemoteEndpoint" not in remedy.text, id_


def test_the_page_has_every_cause():
    text = page()
    for item in DIAGNOSES:
        assert f"## {item.id}\n" in text
        assert item.remedy.text in text
        assert f"- **Interrupts**: {item.remedy.interrupts}\n" in text


def test_findings_survive_the_way_through_json(host, look):
    from transom.model.codec import decode, encode

    ended(host, UNKNOWN_FLAG)
    seen = look(host, sight(host))
    again = decode(Observation, json.loads(json.dumps(encode(seen))))
    assert again == seen
    assert found(again) == found(seen)
