"""The CNI configuration of plugins that have no installer of their own."""

import json
from pathlib import Path

from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

DATA = Path(__file__).parents[2] / "data"


def cni_of(name):
    path = DATA / "fleets" / f"{name}.yaml"
    (fleet,) = read_fleets(path.read_bytes(), name=path.name)
    (recipe,) = resolve(fleet)
    (file,) = [file for file in recipe.files if "\\net.d\\" in file.path]
    return file


def test_wincni_is_told_what_its_documentation_tells():
    """The published example, for the ranges and addresses in it."""
    file = cni_of("k115-2019-docker-wincni")
    assert file.fills == ("nodePodCIDR", "nodePodGateway")
    filled = file.content.replace("{{nodePodCIDR}}", "10.10.187.64/26")
    filled = filled.replace("{{nodePodGateway}}", "10.10.187.66")
    assert filled == (DATA / "cni" / "wincni.json").read_text("utf-8")
    assert json.loads(filled)["type"] == "wincni.exe"
