"""What replacing a file does to pods is known for every file that a recipe has."""

import json
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from transom.node.engine.disruption import REPLACING, Disruption, of_replacing, worst

RECIPES = sorted(Path("tests/data/recipes").glob("*.json"))


def replaced(recipe):
    """The programs and files that a run may replace; Python is brought another way."""
    for artifact in recipe["artifacts"]:
        if artifact["id"] != "python":
            yield from [item["path"] for item in artifact.get("members", [])] or [artifact["path"]]
    yield from (item["path"] for item in recipe["files"])


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_program_and_file_of_a_recipe_has_one_row(path):
    for name in replaced(json.loads(path.read_text())):
        rows = [
            row for row in REPLACING if any(fnmatchcase(name.lower(), few) for few in row.paths)
        ]
        assert len(rows) == 1, name


def test_what_has_no_row_is_taken_for_the_worst_of_files():
    assert of_replacing([r"C:\k\kubeadm.exe", r"C:\k\unheard-of.exe"]) is Disruption.PODS_STOP
    assert of_replacing([r"C:\K\KubeAdm.exe"]) is Disruption.NONE
    assert of_replacing([]) is Disruption.NONE


def test_the_worst_of_several_decides():
    found = [Disruption.KUBELET_RESTART, Disruption.REBOOT, Disruption.PODS_STOP]
    assert worst(found) is Disruption.REBOOT
    assert worst([]) is Disruption.NONE
