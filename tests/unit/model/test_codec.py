"""Documents survive JSON, and a wrong document is refused with the path of what is wrong."""

import json
from pathlib import Path

import pytest

from transom.model.codec import camel_case, decode, encode
from transom.model.recipe import Recipe

RECIPES = sorted((Path(__file__).parents[2] / "data" / "recipes").glob("*.json"))


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_a_recipe_survives_json(path):
    document = json.loads(path.read_text("utf-8"))
    recipe = decode(Recipe, document)
    assert document == json.loads(json.dumps(encode(recipe)))


def test_names_are_camel_case_outside():
    assert camel_case("pod_cidrs") == "podCidrs"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(surprise=1), r"Recipe has unknown keys: surprise"),
        (lambda d: d["network"].update(vni="4096"), r"Recipe\.network\.vni must be int, not str"),
        (lambda d: d["network"].update(podCidrs="x"), r"Recipe\.network\.podCidrs must be a list"),
        (lambda d: d.pop("join"), r"Recipe: .*join"),
        (lambda d: d["artifacts"][0].update(unpack="rar"), r"unpack must be a Unpack"),
        (lambda d: d["identity"].update(rename=1), r"rename must be bool"),
    ],
)
def test_a_wrong_document_is_refused_with_its_path(change, message):
    document = json.loads(RECIPES[0].read_text("utf-8"))
    change(document)
    with pytest.raises(ValueError, match=message):
        decode(Recipe, document)
