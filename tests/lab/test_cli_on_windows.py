"""The command line runs on Windows: the product's own files under CPython for Windows, in a host."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PINS = ROOT / "tests" / "data" / "lab" / "cli-on-windows.txt"
FLEET = ROOT / "tests" / "data" / "fleets" / "k137-2022-containerd-flannel-overlay.yaml"
GOLDEN = ROOT / "tests" / "data" / "recipes" / f"{FLEET.stem}.json"
START = r"""
import sys
sys.path.insert(0, r"C:\cli")
from transom.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def transom(cluster):
    """Run transom on the first host, with its Windows wheels beside it."""
    host = cluster.lab.host("win1")
    target = host.drive_c / "cli"
    wheels = ["--platform=win_amd64", "--python-version=3.13", "--only-binary=:all:"]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", *wheels]
    subprocess.run([*pip, "--target", target, "-r", PINS], check=True, timeout=300)
    shutil.copytree(ROOT / "src" / "transom", target / "transom")
    shutil.copy(FLEET, target / "fleet.yaml")
    (target / "start.py").write_text(START)
    yield lambda words: cluster.ssh("win1", rf"C:\Python\python.exe C:\cli\start.py {words}")
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
