"""The Go tests of the lab's stand-ins: the container runtime and the programs Wine lacks."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.go

_NATIVE = Path(__file__).parents[2] / "lab" / "native"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("module", ["cri", "standins"])
def test_the_stand_ins_keep_their_own_tests(module):
    go = shutil.which("go")
    if go is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Go is needed to test the lab's stand-ins")
        pytest.skip("Go is not installed")
    done = subprocess.run(
        [go, "-C", _NATIVE / module, "test", "./..."], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
