"""The page about the API on Windows has every rule once, and examples that work."""

from collections import Counter
from pathlib import Path

import pytest

from transom.facts.rows import read
from transom.facts.rules import Rule as Row
from transom.model.finding import Severity
from transom.workload.context import LintContext, newest_kubernetes
from transom.workload.differences import differences
from transom.workload.engine import Linter
from transom.workload.families import ELSEWHERE, SECTIONS, family_of, meant_by
from transom.yamlio.loader import load

EXAMPLES = Path(__file__).parents[3] / "examples"
NAMES = [section.example for section in SECTIONS if section.example]


def test_every_rule_is_in_one_section():
    listed = Counter(rule for section in SECTIONS for rule in section.rules)
    assert {rule for rule, times in listed.items() if times > 1} == set()
    assert set(listed) | ELSEWHERE == {row.id for row in read(Row)}


@pytest.mark.parametrize("name", NAMES)
def test_examples_work_on_windows(name):
    linter = Linter(LintContext(kubernetes=newest_kubernetes(), today="2026-11-16"))
    findings = linter.lint(load((EXAMPLES / name).read_bytes(), name=name))
    assert [finding for finding in findings if finding.severity is not Severity.INFO] == []


def test_a_line_says_what_since_when_and_what_to_do():
    page = differences(dict.fromkeys(NAMES, "a: 1\n"), pages=frozenset({"WIN024"}))
    (line,) = [line for line in page.splitlines() if "[WIN024](rules/WIN024.md)" in line]
    assert "refused by the API server; without os.name has no effect" in line
    assert "| 1.14, enforced from 1.24 |" in line
    assert "mount individual volumes readOnly. (`transom fix`)" in line


def test_a_rule_about_another_behaviour_says_what_happens():
    """A reader learns nothing from being told that something is different."""
    for row in read(Row):
        assert bool(row.effect) == (row.behaviour == "different"), row.id
    page = differences(dict.fromkeys(NAMES, "a: 1\n"), pages=frozenset())
    assert "differently" not in page


def test_families_and_beginnings_of_ids_mean_rules():
    known = frozenset(row.id for row in read(Row))
    assert all(family_of(rule) for rule in known)
    found, unknown = meant_by(["hostprocess", "WIN10", "win001", "WIN999", "cheese", ""], known)
    assert {"WIN050", "WIN100", "WIN109", "WIN001"} <= found
    assert "WIN110" not in found
    assert unknown == ["WIN999", "cheese", ""]
