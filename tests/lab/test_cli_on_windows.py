"""The command line runs on Windows: the product's own files under CPython for Windows, in a host."""

import json
import shutil

import pytest
from tests.lab.windows_cli import COMMAND, ROOT, bring_cli

FLEET = ROOT / "tests" / "data" / "fleets" / "k137-2022-containerd-flannel-overlay.yaml"
GOLDEN = ROOT / "tests" / "data" / "recipes" / f"{FLEET.stem}.json"


@pytest.fixture(scope="module")
def transom(cluster):
    """Run transom on the first host."""
    target = bring_cli(cluster.lab.host("win1"))
    shutil.copy(FLEET, target / "fleet.yaml")
    yield lambda words: cluster.ssh("win1", f"{' '.join(COMMAND)} {words}")
    shutil.rmtree(target)


def test_it_starts(transom):
    answer = transom("--version")
    assert (answer.code, answer.stdout.split()[0]) == (0, "transom")


def test_a_recipe_is_the_same_as_elsewhere(transom):
    answer = transom(r"recipe -f C:\cli\fleet.yaml -o json")
    assert answer.code == 0, answer.text
    (recipe,) = json.loads(answer.stdout)["items"]
    assert recipe == json.loads(GOLDEN.read_text("utf-8"))


def test_a_mistake_is_an_error_with_its_exit_code(transom):
    answer = transom(r"recipe -f C:\cli\nothing.yaml")
    assert answer.code == 2
    assert "cannot read" in answer.text
