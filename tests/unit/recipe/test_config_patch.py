"""What a fleet adds to containerd's configuration stands beside ours, and never in its place."""

import tomllib
from pathlib import Path

import pytest

from transom.errors import Refused
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

FLEET = (Path(__file__).parents[2] / "data/fleets/k137-2022-containerd-flannel-overlay.yaml").read_text("utf-8")


def config(patch):
    lines = "".join(f"          {line}\n" for line in patch.splitlines())
    text = FLEET.replace("      containerd:\n", f"      containerd:\n        configPatch: |\n{lines}")
    (fleet,) = read_fleets(text, name="fleet.yaml")
    (recipe,) = resolve(fleet)
    return next(file.content for file in recipe.files if file.path.endswith("config.toml"))


def test_more_tables_and_keys_are_added_and_ours_stay():
    before = tomllib.loads(config("oom_score = 0"))
    found = tomllib.loads(config("oom_score = -999\n\n[debug]\nlevel = 'info'\n"))
    assert (found["oom_score"], found["debug"]) == (-999, {"level": "info"})
    assert {**found, "oom_score": 0, "debug": None} == {**before, "debug": None}


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ("version = 2", "Transom writes version itself"),
        ("[plugins.'io.containerd.cri.v1.images'.registry]\nconfig_path = 'x'",
         "Transom writes plugins.io.containerd.cri.v1.images.registry itself"),
        ("[debug", "it is not TOML"),
    ],
)  # fmt: skip
def test_tables_that_are_ours_are_refused(patch, reason):
    with pytest.raises(Refused) as caught:
        config(patch)
    (refusal,) = caught.value.refusals
    assert refusal.id == "config-patch"
    assert reason in refusal.reason
