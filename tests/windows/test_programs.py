"""The programs of a real Windows Server answer as the contract says; `tests/lab` holds the stand-ins to it."""

import re
import subprocess

import pytest
from tests.windows.programs import CASES, problems


@pytest.fixture(scope="module")
def gateway():
    """The machine's own gateway."""
    said = subprocess.run(
        ["route", "print", "-4", "0.0.*"], capture_output=True, text=True, check=True
    )
    found = re.search(r"^\s*0\.0\.0\.0\s+0\.0\.0\.0\s+([\d.]+)", said.stdout, re.MULTILINE)
    assert found, said.stdout
    return found[1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_a_program_answers_as_recorded(case, gateway):
    assert problems(case, gateway=gateway) == []
