"""`transom lint -` on what kustomize, as kubectl carries it, builds."""

import io
import json
import subprocess
import sys
from pathlib import Path

from transom.cli.main import main

OVERLAY = Path(__file__).parents[1] / "data/generators/overlay"


def test_lints_what_kustomize_builds(lab, capsys, monkeypatch):
    kubectl = str(lab.program("kubectl"))
    built = subprocess.run(
        [kubectl, "kustomize", str(OVERLAY)], capture_output=True, check=True, timeout=60
    ).stdout
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(built)))
    assert main(["lint", "-", "-o", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    (error,) = (item for item in found if item["severity"] == "error")
    assert (error["rule"], error["namespace"], error["name"]) == ("WIN001", "shop", "test-web")
    assert built.splitlines()[error["line"] - 1].strip() == b"hostPID: true"
