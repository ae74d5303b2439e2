"""Every rule is whole: declared once, named once, with examples that prove it and a page."""

from pathlib import Path

import pytest
from tests.support.workload_catalogue import FIXTURES, ROOT, context_for, fixtures

from transom.facts.rows import read
from transom.facts.rules import Rule as Row
from transom.model.version import Version, VersionRange
from transom.workload import page, rules
from transom.workload.catalogue import all_rules
from transom.workload.context import LintContext
from transom.workload.engine import Linter
from transom.workload.links import Links
from transom.workload.operators import compile_test
from transom.workload.paths import parse
from transom.workload.rule import is_active
from transom.yamlio.loader import load

HEADINGS = ("What it flags:", "Why it fails:", "Example:", "Instead:", "Sources:")

RULES = all_rules()
BY_ID = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)


def rules_found(path: Path, ctx: LintContext) -> set[str]:
    linter = Linter(ctx)
    links = Links()
    findings = linter.lint(load(path.read_bytes(), name=path.name), links) + links.settle()
    return {finding.rule for finding in findings}


@BY_ID
def test_bad_examples_are_found_and_good_ones_are_not(rule):
    for row in rule.rows:
        ctx = context_for(row, FIXTURES / rule.name)
        assert is_active(row, ctx)
        assert fixtures(rule, "bad")
        assert fixtures(rule, "good")
        for path in fixtures(rule, "bad"):
            assert rule.id in rules_found(path, ctx), path
        for path in fixtures(rule, "good"):
            assert rule.id not in rules_found(path, ctx), path


@BY_ID
def test_a_rule_outside_its_window_is_silent(rule):
    row = rule.rows[0]
    since = VersionRange.parse(row.kubernetes).since
    if since is None or since.minor == 0:
        return
    before = context_for(row, FIXTURES / rule.name)._replace(
        kubernetes=Version(since.major, since.minor - 1)
    )
    for path in fixtures(rule, "bad"):
        assert rule.id not in rules_found(path, before), path


@BY_ID
def test_its_page_is_current(rule):
    examples = {
        kind: [path.read_text("utf-8") for path in fixtures(rule, kind)] for kind in ("bad", "good")
    }
    expected = page.page(rule, bad=examples["bad"], good=examples["good"])
    assert expected == (ROOT / "docs" / "rules" / f"{rule.id}.md").read_text("utf-8")


def test_rules_with_logic_are_the_files_in_order():
    folder = Path(rules.__file__).parent
    files = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
    assert files == sorted(module for _id, module in rules.LOGIC)
    assert list(rules.LOGIC) == sorted(rules.LOGIC)


@pytest.mark.parametrize(("rule_id", "module"), rules.LOGIC)
def test_a_rule_with_logic_says_all_about_itself(rule_id, module):
    rule = next(rule for rule in RULES if rule.id == rule_id)
    text = (Path(rules.__file__).parent / f"{module}.py").read_text("utf-8")
    assert rule.name == module.replace("_", "-")
    assert rule.rows
    assert [heading for heading in HEADINGS if f"\n{heading}" not in text] == []


def test_every_row_is_checked_or_says_why_no_object_shows_it():
    unchecked = {row.id for row in read(Row)} - {rule.id for rule in RULES}
    assert unchecked == {row.id for row in read(Row) if row.elsewhere}
    assert unchecked == {"WIN108", "WIN204"}


def test_names_and_folders_of_examples_are_the_same_and_unique():
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names)
    assert {path.name for path in FIXTURES.iterdir()} == set(names)


@pytest.mark.parametrize(
    "row", [row for row in read(Row) if row.op != "custom"], ids=lambda row: row.id
)
def test_rows_of_data_can_be_compiled(row):
    compile_test(row)
    for path in row.paths:
        assert parse(path)
    assert row.fix.endswith(".")
