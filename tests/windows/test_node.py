"""The node program's own self-test on a real Windows Server: what its steps rely on holds there."""

import json
import subprocess
import sys
from pathlib import Path

import transom
from transom.node.packaging.build import build_node_zip


def test_the_host_keeps_the_contract(tmp_path):
    program = tmp_path / "node.pyz"
    program.write_bytes(build_node_zip(Path(transom.__file__).parent))
    done = subprocess.run(
        [sys.executable, program, "selftest"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    report = json.loads(done.stdout.splitlines()[-1])
    assert {c["check"]: c["problem"] for c in report["checks"] if c["problem"]} == {}
    assert done.returncode == 0
