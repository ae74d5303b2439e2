"""Every mistake is reported at once, with path, line, column, what was found and what to write instead."""

import tomllib
from pathlib import Path

import pytest

from transom.errors import InvalidDocument
from transom.spec.fleet import Source, read, read_fleets

ROOT = Path(__file__).resolve().parents[3]
HEAD = """\
apiVersion: transom.dev/v1alpha2
kind: Fleet
metadata: {name: shop}
spec:
  kubernetes: {version: 1.37.1}
  network: {type: Flannel, podCIDRs: [10.244.0.0/16], serviceCIDRs: [10.96.0.0/12]}
"""
CASES = tomllib.loads((ROOT / "tests/data/fleets/mistakes.toml").read_text(encoding="utf-8"))[
    "case"
]


def mistakes(text):
    with pytest.raises(InvalidDocument) as caught:
        read_fleets(text, name="fleet.yaml")
    return caught.value.mistakes


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_mistake_has_its_place_and_its_remedy(case):
    old = case.get("old", "")
    assert old in HEAD
    expected = [
        (each["place"], each["path"], each["message"], each.get("hint", ""))
        for each in case["mistakes"]
    ]
    text = HEAD.replace(old, case["new"]) if old else HEAD + case["text"]
    told = [
        (f"{each.line}:{each.column}", each.path, each.message, each.hint)
        for each in mistakes(text)
    ]
    assert told == expected


def test_the_table_is_long_and_every_case_is_a_mistake():
    assert len(CASES) >= 68
    assert all(case["mistakes"] for case in CASES)


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n---\n"])
def test_a_file_without_a_fleet_says_so(text):
    (mistake,) = mistakes(text)
    assert (mistake.message, mistake.line) == ("there is no Fleet in here", 0)


def test_mistakes_of_several_files_name_the_file_and_come_in_order():
    host = "apiVersion: transom.dev/v1alpha2\nkind: WindowsHost\nmetadata: {name: a}\nspec: {fleet: shop}\n"
    sources = [Source("b.yaml", HEAD.replace("1.37.1", "x")), Source("a.yaml", host)]
    with pytest.raises(InvalidDocument, match=r"^b.yaml, a.yaml has 2 mistakes$") as caught:
        read(sources)
    assert [(each.file, each.path) for each in caught.value.mistakes] == [
        ("b.yaml", "spec.kubernetes.version"),
        ("a.yaml", "spec.fleet"),
    ]


def test_a_host_alone_is_told_that_its_fleet_is_missing():
    host = "apiVersion: transom.dev/v1alpha2\nkind: WindowsHost\nmetadata: {name: a}\nspec: {fleetName: shop}\n"
    (mistake,) = mistakes(host)
    assert mistake.message == "there is no fleet `shop` here"
    assert mistake.hint == "Name the file of the Fleet too: -f takes several files, and folders."
