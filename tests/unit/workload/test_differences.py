"""The page about the API on Windows has every rule once, and examples that work."""

from collections import Counter
from pathlib import Path

import pytest

from transom.facts.rows import read
from transom.facts.rules import Rule as Row
from transom.model.finding import Severity
from transom.spec.loader import load
from transom.workload.context import LintContext, newest_kubernetes
from transom.workload.differences import ELSEWHERE, SECTIONS, differences
from transom.workload.engine import Linter

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
