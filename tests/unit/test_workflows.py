"""Workflows are what a runner can read, ask for no rights they do not use, and end by themselves."""

from pathlib import Path

import pytest
import yaml

_FOLDER = Path(__file__).parents[2] / ".github" / "workflows"
_FILES = sorted(_FOLDER.glob("*.yml"))


@pytest.mark.parametrize("file", _FILES, ids=lambda file: file.name)
def test_a_workflow_reads_only_and_every_job_has_an_end(file):
    document = yaml.safe_load(file.read_text("utf-8"))
    assert document["permissions"] == {"contents": "read"}
    for job in document["jobs"].values():
        assert job["timeout-minutes"] > 0
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])


def test_the_contract_of_the_stand_ins_runs_on_both_windows_releases():
    document = yaml.safe_load((_FOLDER / "windows.yml").read_text("utf-8"))
    job = document["jobs"]["contract"]
    assert job["strategy"]["matrix"]["os"] == ["windows-2022", "windows-2025"]
    assert any("tests/windows" in step.get("run", "") for step in job["steps"])
