"""What people ask is found, and what is not known is said with the nearest things that are."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.facts import api_paths
from transom.facts.api import Kind
from transom.facts.catalogue import every_row
from transom.facts.explain import MOST, explain
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
        ("0xc0370106", ["code-0xc0370106"]),
        ("0x80370106", ["code-0xc0370106"]),
        ("3221226505", ["code-0xc0000409"]),
        ("-1073741510", ["code-0xc000013a"]),
        ("0x800705af", ["code-0x5af"]),
        ("803b0010", ["code-0x803b0010"]),
        ("HCN_E_NETWORK_NOT_FOUND", ["code-0x803b0001"]),
        ("port-in-use", ["port-in-use"]),
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
    answer = explain(["pod.spec.restartPolcy"])
    assert answer.explanations == ()
    assert answer.nearest[0] == "pod.spec.restartPolicy"


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
def test_the_unknown_is_said_with_at_most_two_that_are_near(question, nearest):
    answer = explain(question.split(" "))
    assert answer.explanations == ()
    assert any(nearest in name for name in answer.nearest)
    assert len(answer.nearest) <= 2


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
def test_a_line_that_is_no_known_failure_is_not_explained(line):
    assert explain(["error", line]).explanations == ()


def test_a_log_is_explained_by_its_cause_first_with_the_line_of_each():
    log = "Failed to create pod sandbox: x\nBack-off pulling image a\nunknown flag: --log-dir"
    answer = explain(["error", log])
    assert answer.explanations[0].id == "failure-unknown-flag"
    assert answer.lines[0] == "unknown flag: --log-dir"
    assert len(answer.explanations) == len(answer.lines) == 3
    assert answer.sureness == "sure"


def test_codes_that_decide_nothing_are_told_beside_what_is_not_known():
    answer = explain(["error", "the agent stopped: Access is denied. (0x5)"])
    assert answer.explanations == ()
    assert answer.codes == ("0x5 ERROR_ACCESS_DENIED: Access is denied.",)


# Ids that the sources print without a fact behind them: refusals of a host, a fleet or a bundle.
SOURCE = Path(__file__).parents[3] / "src" / "transom"
PRINTED = {
    found
    for folder in ("node/steps", "recipe", "fleet", "image", "node")
    for path in (SOURCE / folder).rglob("*.py")
    for found in re.findall(r'Refusal\(\s*id="([^"]+)"', path.read_text("utf-8"))
} | set(re.findall(r'= "(LINT\d+)"', (SOURCE / "workload" / "ignore.py").read_text("utf-8")))


@pytest.mark.parametrize("printed", sorted(PRINTED))
def test_every_id_that_is_printed_is_explained(printed):
    assert ids(printed)[0] == printed


# The first question reads the facts, which takes longer than those after it.
@settings(deadline=None)
@given(st.text())
def test_any_text_is_answered(text):
    assert explain([text]) is not None


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1))
def test_any_words_are_answered(words):
    assert explain(words) is not None
