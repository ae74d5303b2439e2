"""An id means one thing, is explained, can be the reason of a condition, and is never given to another thing."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from transom.cli.main import main
from transom.facts.catalogue import every_row
from transom.model.reason import reason_of
from transom.site.ids import register

ROOT = Path(__file__).parents[3]
EVER = [line.split(" ") for line in (ROOT / "tests/data/ids.txt").read_text("utf-8").splitlines()]
# What the API server asks of a condition's reason.
REASON = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")


def registered():
    found = defaultdict(set)
    for item in register():
        found[item.id].add(item.kind.value)
    return found


def test_an_id_means_one_thing():
    assert {name: kinds for name, kinds in registered().items() if len(kinds) > 1} == {}


def test_no_id_is_that_of_a_fact_about_something_else():
    facts = {row.id for row in every_row()}
    own = {
        name for name, kinds in registered().items() if kinds & {"step", "cause", "phase", "error"}
    }
    assert own & facts == set()


@pytest.mark.parametrize("kind", sorted({kind for kind, _, _ in EVER}))
def test_no_id_that_ever_was_is_gone_or_means_something_else(kind):
    """A retired id stays in `RETIRED`; a new one is written down by `make generate`."""
    now = registered()
    lost = [name for was, name, _ in EVER if was == kind and now.get(name) != {kind}]
    assert lost == []


def test_every_id_is_written_down_once():
    names = [name for _, name, _ in EVER]
    assert sorted(names) == sorted({*names})
    assert {*names} == {*registered()}


def test_the_reason_of_an_id_never_changes_and_is_nobody_elses():
    reasons = {name: reason for _, name, reason in EVER}
    assert {name: reason_of(name) for name in reasons} == reasons
    assert len({reason.casefold() for reason in reasons.values()}) == len(reasons)


@pytest.mark.parametrize("name", sorted(registered()))
def test_every_id_can_be_the_reason_of_a_condition(name):
    reason = reason_of(name)
    assert REASON.fullmatch(reason)
    assert reason[0].isupper()


def test_what_is_camel_case_already_stays():
    assert reason_of("UsageError") == "UsageError"
    assert reason_of("hns-network-missing") == "HnsNetworkMissing"
    assert reason_of("WIN024") == "WIN024"


@pytest.mark.parametrize("name", sorted(registered()))
def test_every_id_is_explained(name, capsys):
    assert main(["explain", name]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(name)


def refusals_in_source():
    for path in sorted((ROOT / "src" / "transom").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refusal":
                for keyword in node.keywords:
                    if keyword.arg == "id" and isinstance(keyword.value, ast.Constant):
                        yield keyword.value.value


def test_every_refusal_that_code_makes_is_registered():
    assert {*refusals_in_source()} - {*registered()} == set()
