"""Fixes end what they name, change nothing else, and are safe unless asked not to be."""

import json

import pytest
from tests.support.workload_catalogue import FIXTURES, context_for, fixtures

from pods import pods
from transom.model.version import Version
from transom.workload.catalogue import all_rules
from transom.workload.context import LintContext, OperatingSystem
from transom.workload.engine import Linter
from transom.workload.fix import Fixer
from transom.workload.ignore import Ignore
from transom.workload.paths import text_of
from transom.workload.remedy import REMEDIES
from transom.yamlio.loader import load

CTX = LintContext(kubernetes=Version(1, 37), today="2026-11-16")
RULES = [rule for rule in all_rules() if rule.id in REMEDIES]


def fixed(text, ctx=CTX, **options):
    return Fixer(ctx, **options).fix(text.encode(), name="web.yaml")


def found(data, ctx=CTX):
    linter = Linter(ctx)
    return {(f.rule, f.path) for f in linter.lint(load(data, name="web.yaml"))}


def changed_paths(before, after, path=()):
    """The paths of all that differs, as deep as both have the same shape."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in (*before, *(key for key in after if key not in before)):
            yield from changed_paths(before.get(key), after.get(key), (*path, key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, pair in enumerate(zip(before, after, strict=True)):
            yield from changed_paths(*pair, (*path, index))
    elif before != after:
        yield path


POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  os: {name: windows}
  nodeSelector: {kubernetes.io/os: windows}
  containers:
  - name: web
    image: mcr.microsoft.com/windows/nanoserver:ltsc2022
"""


def test_every_remedy_is_of_a_rule():
    assert {rule.id for rule in RULES} == set(REMEDIES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_bad_examples_are_clean_after_their_fix_and_a_second_one_changes_nothing(rule):
    for row in rule.rows:
        ctx = context_for(row, FIXTURES / rule.name)
        fixer = Fixer(ctx, unsafe=True, rules=frozenset({rule.id}))
        ended = 0
        for path in fixtures(rule, "bad"):
            data = path.read_bytes()
            result = fixer.fix(data, name="web.yaml")
            ended += bool(result.fixed)
            left = {(left.finding.rule, left.finding.path) for left in result.left}
            after = found(result.data, ctx)
            assert {place for place in after if place[0] == rule.id} == left
            assert fixer.fix(result.data, name="web.yaml").data == result.data
        assert ended


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_good_examples_are_not_touched(rule):
    ctx = context_for(rule.rows[-1], FIXTURES / rule.name)
    fixer = Fixer(ctx, unsafe=True, rules=frozenset({rule.id}))
    for path in fixtures(rule, "good"):
        assert fixer.fix(path.read_bytes(), name="web.yaml").data == path.read_bytes()


def test_pods_of_chance_mean_the_same_but_for_what_was_fixed():
    """Before and after differ at the places of the fixed findings only; the rest is equal."""
    fixer = Fixer(CTX, unsafe=True)
    for pod in pods(400):
        data = json.dumps(pod, indent=1).encode()
        result = fixer.fix(data, name="web.yaml")
        allowed = {fixed.finding.path for fixed in result.fixed}
        allowed |= {path.rpartition(".")[0] for path in allowed if "securityContext" in path}
        allowed |= {"spec.nodeSelector" for path in allowed if "nodeSelector" in path}
        after = json.loads(result.data)
        for path in changed_paths(pod, after):
            text = text_of(path)
            assert any(text.startswith(place) or place.startswith(text) for place in allowed), text
        left = {(left.finding.rule, left.finding.path) for left in result.left}
        assert {place for place in found(result.data) if place[0] in REMEDIES} == left
        assert fixer.fix(result.data, name="web.yaml").data == result.data


def test_a_security_context_that_is_left_empty_goes_as_a_whole():
    text = POD + "    securityContext:\n      privileged: false\n      capabilities: {}\n"
    assert fixed(text).data.decode() == POD


def test_a_volume_that_is_left_empty_stays_a_volume():
    text = POD + "  volumes:\n  - name: a\n    emptyDir:\n      medium: Memory  # fast\n"
    assert fixed(text).data.decode() == POD + "  volumes:\n  - name: a\n    emptyDir: {}\n"


def test_a_user_is_taken_away_only_when_asked_for():
    text = POD + "    securityContext: {runAsUser: 1000}\n"
    result = fixed(text)
    assert result.data.decode() == text
    assert [left.finding.rule for left in result.left] == ["WIN028"]
    assert fixed(text, unsafe=True).data.decode() == POD


def test_os_name_is_not_set_where_the_api_server_would_then_refuse_the_pod():
    text = POD.replace("  os: {name: windows}\n", "") + "    securityContext: {runAsUser: 1000}\n"
    result = fixed(text)
    assert result.data.decode() == text
    (left,) = [left for left in result.left if left.finding.rule == "WIN042"]
    assert "WIN028" in left.reason


def test_os_name_is_set_once_nothing_stands_against_it():
    text = POD.replace("  os: {name: windows}\n", "") + "    securityContext: {privileged: true}\n"
    after = load(fixed(text).data, name="web.yaml")[0].value
    assert after["spec"]["os"] == {"name": "windows"}
    assert "securityContext" not in after["spec"]["containers"][0]


def test_a_pod_that_only_hints_at_windows_is_not_declared_one():
    text = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  tolerations: [{key: os, value: windows}]
  containers: [{name: web, image: example.com/app}]
"""
    assert fixed(text).data.decode() == text


def test_what_an_annotation_ignores_is_not_fixed():
    annotated = 'metadata:\n  annotations: {ignore.transom.dev/WIN025: "needed for a test"}\n'
    text = POD.replace("metadata:\n", annotated) + "    securityContext: {privileged: false}\n"
    assert fixed(text).data.decode() == text


def test_what_a_comment_ignores_is_not_fixed_though_edits_above_move_its_line():
    kept = (
        "    securityContext:\n      privileged: false  # transom: ignore WIN025 for the scanner\n"
    )
    above = "  hostPID: true\n  shareProcessNamespace: true\n"
    text = "# first\n---\n" + POD.replace("  os:", above + "  os:") + kept
    assert fixed(text).data.decode() == "# first\n---\n" + POD + kept


def test_what_the_settings_ignore_is_not_fixed():
    text = POD + "    securityContext: {privileged: false}\n"
    ignore = Ignore("WIN025", "not ours", ".transom.toml", 1, 1, globs=("*/web.*",))
    assert fixed(text, ignores=[ignore]).data.decode() == text


def test_only_the_rules_asked_for_are_fixed():
    text = POD + "    securityContext: {privileged: false, capabilities: {}}\n"
    result = fixed(text, rules=frozenset({"WIN023"}))
    assert result.data.decode() == POD + "    securityContext: {privileged: false}\n"


def test_linux_pods_are_left_in_peace():
    text = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  os: {name: linux}
  containers: [{name: web, image: nginx, securityContext: {privileged: true}}]
"""
    assert fixed(text, unsafe=True).data.decode() == text


def test_a_place_that_aliases_share_is_left_with_the_reason():
    text = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  os: {name: windows}
  nodeSelector: {kubernetes.io/os: windows}
  containers:
  - {name: a, image: example.com/a, securityContext: &shared {privileged: false, runAsNonRoot: false}}
  - {name: b, image: example.com/b, securityContext: *shared}
"""
    result = fixed(text)
    assert result.data.decode() == text
    assert all("anchor" in left.reason for left in result.left)
    assert [left.finding.rule for left in result.left] == ["WIN025", "WIN025"]


def test_an_alias_that_goes_frees_its_anchor_in_the_same_run():
    text = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  os: {name: windows}
  nodeSelector: {kubernetes.io/os: windows}
  containers:
  - {name: a, image: example.com/a, securityContext: &shared {privileged: false}}
  - {name: b, image: example.com/b, securityContext: *shared}
"""
    result = fixed(text)
    assert b"securityContext" not in result.data
    assert result.left == []


def test_unsure_pods_are_fixed_as_windows_when_they_are_assumed_to_be():
    ctx = LintContext(kubernetes=Version(1, 37), assume=OperatingSystem.WINDOWS, today="2026-11-16")
    text = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: web, image: example.com/app, securityContext: {privileged: false}}
"""
    after = load(fixed(text, ctx).data, name="web.yaml")[0].value
    assert after["spec"]["containers"] == [{"name": "web", "image": "example.com/app"}]


def test_a_runtime_class_in_the_same_file_says_what_a_pod_is_for():
    runtime_class = (
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: second}\nhandler: h\n"
        "scheduling: {nodeSelector: {kubernetes.io/os: windows}}\n---\n"
    )
    pod = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  hostPID: true
  runtimeClassName: second
  containers: [{name: web, image: example.com/app}]
"""
    assert fixed(pod).data.decode() == pod
    assert "hostPID" not in fixed(runtime_class + pod).data.decode()


RESTRICTED = CTX._replace(pod_security={"": "restricted"})
UNPRIVILEGED = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeSelector: {kubernetes.io/os: windows}
  hostPID: true
  securityContext: {runAsUser: 1000, runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: web
    image: example.com/web:1
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
"""


def test_what_restricted_demands_stays_as_long_as_os_name_cannot_be_set():
    """Otherwise a pod that Pod Security takes would be one that it refuses."""
    result = fixed(UNPRIVILEGED, RESTRICTED)
    assert result.data.decode() == UNPRIVILEGED.replace("  hostPID: true\n", "")
    reasons = {left.finding.rule: left.reason for left in result.left}
    assert {"WIN006", "WIN023", "WIN026"} < set(reasons)
    assert "restricted" in reasons["WIN023"]


def test_what_restricted_demands_goes_together_with_os_name():
    after = load(fixed(UNPRIVILEGED, RESTRICTED, unsafe=True).data, name="web.yaml")[0].value
    assert after["spec"]["os"] == {"name": "windows"}
    assert after["spec"]["securityContext"] == {"runAsNonRoot": True}
    assert "securityContext" not in after["spec"]["containers"][0]


def test_the_level_of_a_namespace_in_the_same_file_counts():
    namespace = """\
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: restricted}}
---
"""
    pod = UNPRIVILEGED.replace("{name: web}", "{name: web, namespace: shop}", 1)
    assert "drop: [ALL]" in fixed(namespace + pod).data.decode()
    assert "drop: [ALL]" not in fixed(pod).data.decode()
