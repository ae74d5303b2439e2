"""A fleet whose every byte is locked."""

from pathlib import Path

import pytest

from transom.cli.options import lock_file
from transom.model.lock import Lock, LockEntry, SumFrom
from transom.recipe.pinnable import artifacts_of
from transom.spec.fleet import read_fleets

FLEET = (
    Path(__file__).parents[3] / "tests/data/fleets/k137-2022-containerd-flannel-overlay.yaml"
).read_text("utf-8")


@pytest.fixture
def locked_site(tmp_path):
    """The folder of fleet.yaml and transom.lock."""
    (tmp_path / "fleet.yaml").write_text(FLEET)
    pinnables = artifacts_of(read_fleets(FLEET.encode(), name="f"))
    entries = {
        item.key: LockEntry(
            id=item.artifact.id, version=item.artifact.version, url=item.artifact.url,
            sha256="a" * 64, size=1, sum_from=SumFrom.FIRST_USE,
        )
        for item in pinnables
    }  # fmt: skip
    lock_file.save(tmp_path / "transom.lock", Lock().with_entries(list(entries.values())))
    return tmp_path
