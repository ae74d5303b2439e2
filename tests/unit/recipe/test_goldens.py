"""Each fleet of the test data gives exactly its golden recipe; the same bytes every time."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from transom.facts import compile as facts_compile
from transom.model.codec import encode
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

DATA = Path(__file__).parents[2] / "data"
FLEETS = sorted((DATA / "fleets").glob("k1*.yaml"))


def recipe_text(path: Path) -> str:
    (fleet,) = read_fleets(path.read_bytes(), name=path.name)
    (recipe,) = resolve(fleet)
    return json.dumps(encode(recipe), indent=1, ensure_ascii=False) + "\n"


def known_ids() -> set[str]:
    found = set()
    for subject in facts_compile.subjects():
        for rows in json.loads(facts_compile.compile_subject(subject)).values():
            found |= {row["id"] for row in rows}
    return found


@pytest.mark.parametrize("path", FLEETS, ids=lambda path: path.stem)
def test_the_recipe_is_the_golden_one(path):
    golden = (DATA / "recipes" / f"{path.stem}.json").read_text("utf-8")
    assert golden == recipe_text(path)
    assert recipe_text(path) == recipe_text(path)


@pytest.mark.parametrize("path", FLEETS, ids=lambda path: path.stem)
def test_every_entry_says_why_by_a_fact_or_a_key_of_the_fleet(path):
    ids = known_ids()
    whys = re.findall(r'"why": "([^"]*)"', recipe_text(path))
    unknown = [
        word
        for why in whys
        if not why.startswith("fleet ")
        for word in why.split()
        if word not in ids
    ]
    assert unknown == []
    assert whys


@pytest.mark.parametrize("path", FLEETS, ids=lambda path: path.stem)
def test_no_placeholder_is_left(path):
    """Only what the joined node must fill stands in double braces."""
    recipe = json.loads(recipe_text(path))
    for file in recipe["files"]:
        left = re.findall(r"\{\{(\w+)\}\}", file["content"])
        assert sorted(set(left)) == sorted(file["fills"])
    for program in recipe["programs"]:
        filled = set(re.findall(r"\{\{(\w+)\}\}", json.dumps(program)))
        assert filled <= {"kubeconfig", "nodeAddress", "sourceVIP"}
        assert ("sourceVIP" in filled) == (program["sourceVip"] is not None)
    rest = {**recipe, "files": [], "kubelet": {}}
    text = json.dumps(rest).replace("{{", "").replace("}}", "")
    assert not re.search(r"\{[a-z_-]+\}", text.replace("{}", ""))


@pytest.mark.parametrize("path", FLEETS, ids=lambda path: path.stem)
def test_nothing_unknown_is_written_as_a_word(path):
    """A value that the fleet leaves open is left out; Python's `None` is no port, path or name."""
    assert not re.search(r"\bNone\b", recipe_text(path))


def test_an_overlay_whose_port_nobody_says_opens_none_and_says_so():
    (path,) = (path for path in FLEETS if path.stem == "k137-2022-containerd-external-overlay")
    recipe = json.loads(recipe_text(path))
    assert [rule["name"] for rule in recipe["firewall"]] == ["kubelet"]
    assert any("UDP port" in note for note in recipe["notes"])


def test_direct_server_return_on_server_2019_demands_its_update():
    (path,) = (path for path in FLEETS if path.stem == "k130-2019-containerd-flannel-l2bridge")
    for kubernetes, updates in (
        ("1.30.14", []),
        ("1.33.4", ["KB4580390"]),
        ("1.34.2", ["KB4580390"]),
    ):
        (fleet,) = read_fleets(path.read_bytes(), name=path.name)
        fleet = replace(fleet, kubernetes=replace(fleet.kubernetes, version=kubernetes))
        (recipe,) = resolve(fleet)
        assert [update.kb for update in recipe.updates] == updates
