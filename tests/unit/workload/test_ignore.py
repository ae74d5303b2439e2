"""Ignores need a reason, cover exactly what they name, and are reported when stale."""

from transom.model.version import Version
from transom.workload.baseline import Baseline, document_of
from transom.workload.catalogue import active_ids, known_ids
from transom.workload.context import LintContext
from transom.workload.engine import Linter
from transom.workload.ignore import Ignore, Sieve, annotations_in, comments_in
from transom.yamlio.loader import load

CTX = LintContext(kubernetes=Version(1, 37), today="2026-11-16")
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations: {ANNOTATIONS}
spec:
  os: {name: windows}
  hostPID: true  # COMMENT
  hostIPC: true
"""


def sifted(text, *more):
    documents = load(text, name="web.yaml")
    ignores = [*annotations_in(documents), *comments_in(text, file="web.yaml"), *more]
    sieve = Sieve(ignores)
    kept, ignored = sieve.sift(Linter(CTX).lint(documents))
    complaints = list(sieve.complaints(known_ids(), active_ids(CTX)))
    rules = [[item.rule for item in group] for group in (kept, ignored, complaints)]
    return rules[0], rules[1], rules[2], complaints


def pod(annotations="", comment=""):
    return POD.replace("ANNOTATIONS", annotations).replace("COMMENT", comment)


def test_an_annotation_with_a_reason_ignores_the_rule_in_its_object():
    kept, ignored, complaints, _ = sifted(pod('ignore.transom.dev/WIN001: "moves in May"'))
    assert "WIN001" not in kept
    assert "WIN002" in kept
    assert ignored == ["WIN001"]
    assert complaints == []


def test_a_comment_ignores_the_rules_on_its_line():
    kept, ignored, complaints, _ = sifted(pod(comment="transom: ignore WIN001 moves in May"))
    assert "WIN001" not in kept
    assert ignored == ["WIN001"]
    assert complaints == []


def test_a_comment_on_another_line_ignores_nothing_and_is_stale():
    kept, _ignored, complaints, found = sifted(pod(comment="transom: ignore WIN002 moves in May"))
    assert "WIN002" in kept
    assert complaints == ["LINT001"]
    assert (found[0].line, found[0].column) == (8, 18)


def test_an_ignore_without_a_reason_is_not_followed():
    kept, _ignored, complaints, _ = sifted(pod('ignore.transom.dev/WIN001: ""'))
    assert "WIN001" in kept
    assert complaints == ["LINT002"]


def test_an_ignore_of_no_rule_is_reported():
    assert sifted(pod("ignore.transom.dev/WIN999: x"))[2] == ["LINT003"]


def test_an_ignore_for_another_version_is_not_stale():
    # The rule about hostAliases ended with 1.21.
    assert sifted(pod("ignore.transom.dev/WIN083: x"))[2] == []


def test_globs_cover_files():
    covering = Ignore("WIN001", "old", ".transom.toml", 1, 1, globs=("*.yaml",))
    other = Ignore("WIN002", "old", ".transom.toml", 1, 1, globs=("*/legacy/*",))
    kept, ignored, complaints, _ = sifted(pod(), covering, other)
    assert "WIN002" in kept
    assert ignored == ["WIN001"]
    assert complaints == ["LINT001"]


def test_a_baseline_knows_its_findings_and_reports_what_is_gone():
    findings = Linter(CTX).lint(load(pod(), name="web.yaml"))
    baseline = Baseline(document_of(findings), file="baseline.json")
    assert all(baseline.is_known(finding) for finding in findings)
    assert list(baseline.stale(frozenset({"web.yaml"}))) == []
    fresh = Baseline(document_of(findings), file="baseline.json")
    assert [item.rule for item in fresh.stale(frozenset({"web.yaml"}))] == ["LINT001"] * len(
        findings
    )
    assert list(fresh.stale(frozenset({"other.yaml"}))) == []
