"""Every mistake is reported at once, with path, line, column and what to write instead."""

import tomllib
from pathlib import Path

import pytest

from transom.errors import InvalidDocument
from transom.spec.fleet import read_fleets

ROOT = Path(__file__).resolve().parents[4]
HEAD = """\
apiVersion: transom.dev/v1alpha1
kind: Fleet
metadata: {name: shop}
spec:
  kubernetes: {version: 1.37.1}
  network: {podCIDRs: [10.244.0.0/16], serviceCIDRs: [10.96.0.0/12], flannel: {}}
"""


def mistakes(text):
    with pytest.raises(InvalidDocument) as caught:
        read_fleets(text, name="fleet.yaml")
    assert all(each.file == "fleet.yaml" for each in caught.value.mistakes)
    return caught.value.mistakes


def told(text):
    return [
        (f"{each.line}:{each.column}", each.path, each.message, each.hint)
        for each in mistakes(text)
    ]


CASES = tomllib.loads(
    (ROOT / "tests/data/fleets/v1alpha1/mistakes.toml").read_text(encoding="utf-8")
)["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_mistake_has_its_place_and_its_remedy(case):
    old = case.get("old", "")
    assert old in HEAD
    expected = [
        (each["place"], each["path"], each["message"], each.get("hint", ""))
        for each in case["mistakes"]
    ]
    assert told(HEAD.replace(old, case["new"]) if old else HEAD + case["text"]) == expected


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n---\n"])
def test_a_file_without_a_fleet_says_so(text):
    (mistake,) = mistakes(text)
    assert (mistake.message, mistake.line) == ("there is no Fleet in here", 0)


@pytest.mark.parametrize("text", ["null\n", "- a\n", "fleet\n", "3\n", "true\n", '""\n'])
def test_a_document_that_is_no_map_is_one_mistake(text):
    (mistake,) = mistakes(text)
    assert (mistake.path, mistake.line) == ("", 1)


def test_another_document_in_the_stream_is_one_mistake_and_hides_none():
    pod = "apiVersion: v1\nkind: Pod\nspec: {colour: blue}\n"
    assert told(HEAD.replace("1.37.1", "x") + "---\n" + pod) == [
        (
            "5:25",
            "spec.kubernetes.version",
            "`x` is not a version such as 1.37.1, or `cluster`",
            "",
        ),
        (
            "9:7",
            "kind",
            "this is a `Pod`, not a `Fleet`",
            "Keep other documents in files of their own.",
        ),
    ]


def test_two_fleets_of_one_name_are_a_mistake():
    assert told(HEAD + "---\n" + HEAD) == [
        (
            "10:18",
            "metadata.name",
            "an earlier document is the fleet `shop` already",
            "Give each fleet a name of its own.",
        )
    ]


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_file():
    text = (
        HEAD.replace("1.37.1", "x")
        + """\
  privileged: root
  hosts:
  - {name: a, address: 10.0.0.256}
  - {name: a, colour: blue}
"""
    )
    places = [(each.line, each.path) for each in mistakes(text)]
    assert places == [
        (5, "spec.kubernetes.version"),
        (7, "spec.privileged"),
        (9, "spec.hosts[0]"),
        (9, "spec.hosts[0].address"),
        (10, "spec.hosts[1]"),
        (10, "spec.hosts[1].name"),
        (10, "spec.hosts[1].colour"),
    ]


def test_a_mistake_counts_itself_in_the_sentence():
    with pytest.raises(InvalidDocument, match=r"^fleet.yaml has 1 mistake$"):
        read_fleets(HEAD + "  privileged: root\n", name="fleet.yaml")
