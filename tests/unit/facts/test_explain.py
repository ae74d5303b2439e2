"""What people ask is found, and what is not known is said with the nearest things that are."""

from contextlib import suppress
from fnmatch import fnmatchcase

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.errors import UsageError
from transom.facts import api_paths, messages
from transom.facts.api import Kind
from transom.facts.catalogue import every_row
from transom.facts.explain import MOST, explain
from transom.facts.failures import Failure
from transom.facts.rows import read
from transom.facts.rules import Rule

WORDS = ("error", "gate", "flag", "1.2", "spec.", "[*]", "*", "--", "", "pod.", "kubelet.")


def ids(question):
    return [told.id for told in explain(question.split(" ")).explanations]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("WIN024", ["WIN024"]),
        ("win024", ["WIN024"]),
        ("pod.spec.hostIPC", ["WIN002"]),
        ("deployment.spec.template.spec.hostIPC", ["WIN002"]),
        ("spec.containers[0].securityContext.privileged", ["WIN025"]),
        ("spec.initContainers.securityContext.privileged", ["WIN025"]),
        ("spec.securityContext.seLinuxOptions.level", ["WIN005"]),
        ("spec.containers[1].resources.limits['hugepages-2Mi']", ["WIN103"]),
        ("hostUsers", ["WIN003"]),
        ("service.spec.sessionAffinity", ["WIN160"]),
        ("svc.spec.sessionAffinity", ["WIN160"]),
        ("vpa.spec.updatePolicy", ["WIN089"]),
        ("V1.Pod.dnsPolicy", ["WIN081"]),
        ("v1.pod.hostpid", ["WIN001"]),
        ("V1.Container.ResourceRequirements.requests.cpu", ["WIN108"]),
        ("V1.podSecurityContext.supplementalGroups", ["WIN013"]),
        ("pod.spec.restartPolicy", ["Pod.spec.restartPolicy"]),
        ("restartpolicy", ["Pod.spec.restartPolicy"]),
        ("deploy.spec.replicas", ["Deployment.spec.replicas"]),
        ("deployment.spec.template.spec.subdomain", ["Pod.spec.subdomain"]),
        ("pod.metadata.labels.app", ["Pod.metadata.labels.app"]),
        ("pod", ["api-Pod"]),
        ("kubelet.cgroupsPerQOS", ["kubelet-cgroupsPerQOS", "kubelet-cgroupsPerQOS-2"]),
        ("kubelet.network-plugin", ["kubelet-flag-network-plugin"]),
        ("--log-dir", ["kubelet-flag-log-dir"]),
        ("gate WinDSR", ["WinDSR"]),
        ("gate windsr", ["WinDSR"]),
        ("gate NodeLocalCRISocket", ["kubeadm/NodeLocalCRISocket"]),
        ("flag --cni-bin-dir", ["kubelet-flag-cni-bin-dir"]),
        ("weave", ["weave", "plugin-weave"]),
        ("1.23", ["kubernetes-1.23"]),
        ("v1.37.1", ["kubernetes-1.37"]),
        ("2019", ["2019"]),
        ("1809", ["2019"]),
        ("ltsc2022", ["2022"]),
        ("10.0.26100", ["2025"]),
        ("Windows Server 2022", ["2022"]),
        ("KB4489899", ["KB4489899"]),
        ("WIN220", ["WIN220", "WIN220"]),
    ],
)
def test_a_question_finds_its_facts(question, expected):
    assert ids(question) == expected


@pytest.mark.parametrize("row", read(Kind), ids=lambda row: row.name)
def test_every_field_of_the_api_is_explained(row):
    for field in row.fields[::5]:
        assert ids(f"{row.name}.{field}"), field


@pytest.mark.parametrize("rule", read(Rule), ids=lambda rule: rule.id)
def test_a_rule_speaks_of_fields_that_exist(rule):
    known = {field for row in read(Kind) for field in fields_of(row, rule)}
    if not known or rule.elsewhere:
        return
    for path in rule.paths:
        wanted = api_paths.canonical(path.casefold())
        holder = wanted.rpartition(".")[0]
        assert any(
            api_paths.is_field(wanted, field)
            or fnmatchcase(field, wanted)
            or (field.endswith(".*") and fnmatchcase(field.removesuffix(".*"), holder))
            for field in known
        ), path


def fields_of(row, rule):
    if row.name in rule.kinds or ("Pod" in rule.kinds and row.name == "Pod"):
        yield from (api_paths.canonical(field.casefold()) for field in row.fields)


def test_a_field_that_is_written_wrong_is_no_field():
    with pytest.raises(UsageError) as caught:
        explain(["pod.spec.restartPolcy"])
    assert caught.value.hint.startswith("did you mean pod.spec.restartPolicy")


def test_every_fact_is_found_by_its_id():
    known = {row.id for row in every_row()}
    assert [row_id for row_id in known if row_id not in ids(row_id)] == []


def test_a_long_answer_names_what_it_leaves_out():
    answer = explain(["pod.spec.securityContext"])
    assert len(answer.explanations) == MOST
    assert "WIN058" in answer.more


def test_a_minor_tells_what_begins_and_ends_with_it():
    (told,) = explain(["1.24"]).explanations
    assert "flags gone: --network-plugin" in " ".join(told.what)
    assert "Docker 20.10 or later by cri-dockerd" in " ".join(told.what)


@pytest.mark.parametrize(
    ("question", "nearest"),
    [
        ("WIN999", "WIN"),
        ("gate WinDRS", "WinDSR"),
        ("pod.spec.hostIPCs", "hostIPC"),
        ("wave", "weave"),
        ("1.38", "1.3"),
    ],
)
def test_the_unknown_is_refused_with_the_nearest_known(question, nearest):
    with pytest.raises(UsageError) as caught:
        explain(question.split(" "))
    assert nearest in caught.value.hint


@pytest.mark.parametrize("failure", [pytest.param(row, id=row.id) for row in read(Failure)])
def test_every_known_message_finds_its_failure(failure):
    for message in failure.messages:
        answer = explain(["error", f"E1116 12:01:02.345 1234 server.go:99] {message} pod=x/y"])
        assert answer.explanations[0].id == failure.id
        assert answer.sureness == "sure"


PASTED = {
    "failure-unknown-flag": (
        'E0102 run.go:74] "command failed" err="failed to parse kubelet flag:'
        ' unknown flag: --pod-infra-container-image"'
    ),
    "failure-unknown-gate": (
        'err="failed to set feature gates: unrecognized feature gate: IPv6DualStack"'
    ),
    "failure-image-os": (
        "hcsshim::CreateComputeSystem web: The container operating system does not match the"
        " host operating system."
    ),
    "failure-windows-pod-field": (
        'Pod "web" is invalid: spec.securityContext.fsGroup: Forbidden: cannot be set for a'
        " windows pod"
    ),
}


@pytest.mark.parametrize(("expected", "line"), PASTED.items())
def test_a_line_as_people_paste_it_finds_its_failure(expected, line):
    """With or without saying that it is an error."""
    assert ids(f"error {line}") == [expected]
    assert ids(line) == [expected]


@pytest.mark.parametrize(
    "line", ["", "hello world", "the quick brown fox", "error: exit status 1", "I1116 started ok"]
)
def test_a_line_that_is_no_known_failure_is_refused(line):
    with pytest.raises(UsageError):
        explain(["error", line])


# The first question reads the facts, which takes longer than those after it.
@settings(deadline=None)
@given(st.text())
def test_any_text_is_answered_or_refused(text):
    with suppress(UsageError):
        assert explain([text]).explanations


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1))
def test_any_words_are_answered_or_refused(words):
    with suppress(UsageError):
        assert explain(words).explanations


@given(st.text())
def test_scores_are_shares(text):
    assert all(messages.LEAST <= match.score <= 1 for match in messages.matches(text))
