"""The stand-ins keep the contract that can be run on a real Windows Server with `make test-windows`."""

import json
from pathlib import Path

import pytest
from tests.windows import programs

from transom_lab.network import GROUND


@pytest.fixture(scope="module")
def report(cluster):
    """What does not hold in a host, by case: the contract as one program, run by the host's Python."""
    host = cluster.lab.host("win1")
    host.put(Path(programs.__file__), r"C:\k\programs.py")
    answer = cluster.ssh("win1", rf"C:\Python\python.exe C:\k\programs.py {GROUND}")
    assert answer.code == 0, answer.text
    return json.loads(answer.stdout)


@pytest.mark.parametrize("case", programs.CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_a_stand_in_answers_like_the_original(report, case):
    assert report[case.name] == []
