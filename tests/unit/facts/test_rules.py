"""A rule row that is no custom one can be run as it stands."""

import re

import pytest

from transom.facts.gates import Gate
from transom.facts.rows import read
from transom.facts.rules import Rule
from transom.model.version import Version, VersionRange

WITHOUT_VALUE = {"set", "absent", "non_empty"}
WITH_LIST = {"in", "not_in", "prefix_any", "first_word_in"}
WITH_SCALAR = {"equals", "not_equals", "equals_ci", "prefix", "suffix", "contains", "gt"}
RULES = [pytest.param(rule, id=f"{rule.id} {rule.kubernetes}") for rule in read(Rule)]


@pytest.mark.parametrize("rule", RULES)
def test_the_operator_has_the_value_it_needs(rule):
    if rule.op in WITHOUT_VALUE:
        assert rule.value is None
    elif rule.op == "custom":
        assert rule.value is None or isinstance(rule.value, int)
    elif rule.op in WITH_LIST:
        assert isinstance(rule.value, tuple)
        assert rule.value
    elif rule.op == "length_outside":
        least, most = rule.value
        assert least <= most
    elif rule.op == "regex_violation":
        re.compile(rule.value)
    else:
        assert rule.op in WITH_SCALAR
        assert isinstance(rule.value, str | int | bool)


@pytest.mark.parametrize("rule", RULES)
def test_words_are_of_the_agreed_sets(rule):
    assert rule.severity in {"error", "warning", "info"}
    assert rule.behaviour in {
        *("rejected", "ignored", "fails", "unsupported", "different"),
        *("required", "recommended", "deprecated", "unverified"),
    }
    assert rule.enforced_by in {
        *("apiserver", "kubelet", "runtime", "kube-proxy", "pod-security", "kubeadm", "none"),
        "scheduler",
    }
    assert set(rule.scope) <= {
        *("windows", "os-name-windows", "os-name-linux", "host-process", "no-host-process"),
    }
    assert rule.fix.endswith(".")
    assert rule.paths


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_effective_where_it_exists(rule):
    if rule.effective_since:
        assert Version.parse(rule.effective_since) in VersionRange.parse(rule.kubernetes)


@pytest.mark.parametrize("rule", RULES)
def test_a_gate_that_is_named_is_known(rule):
    assert rule.gate == "" or rule.gate in {gate.name for gate in read(Gate)}


def test_ids_are_never_dropped():
    """Documents and annotations cite them for ever."""
    known = {rule.id for rule in read(Rule)}
    first = {f"WIN{n:03}" for n in (*range(1, 18), *range(20, 32), *range(40, 46), *range(50, 67))}
    later = {f"WIN{n:03}" for n in (*range(70, 80), *range(80, 97), *range(100, 110))}
    last = {
        f"WIN{n:03}"
        for n in (*range(120, 148), *range(160, 180), *range(200, 216), *range(220, 222))
    }
    assert first | later | last == known


def test_the_form_of_user_names_is_that_of_the_api_server():
    form = re.compile(str(next(rule.value for rule in read(Rule) if rule.id == "WIN055")))
    for good in ("ContainerUser", r"NT AUTHORITY\SYSTEM", r"corp.example\web$"):
        assert form.search(good), good
    for bad in ("", "...", r"a\b\c", "a/b", "x" * 105, r"averylongdomain1\user/"):
        assert not form.search(bad), bad
