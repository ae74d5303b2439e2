"""A fleet's add-ons in its cluster, from the fleet and the lock alone."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.fleet_addons import GOOD, daemon_set, flannel

from transom.errors import Refused, TemporaryError, UsageError
from transom.fleet.addon_change import Act
from transom.fleet.turning import RealClock
from transom.kube.api import Api
from transom.model.lock import Lock
from transom.site.addons import AddonWork, only_fleet, rendered_for, write_folder
from transom.spec.fleet import read_fleets
from transom.testing.cluster import MemoryCluster

FLEETS = Path(__file__).parents[2] / "data/fleets"
TEXT = (FLEETS / "k137-2022-containerd-flannel-overlay.yaml").read_bytes()
(FLEET,) = read_fleets(TEXT, name="fleet.yaml")


@pytest.fixture
def work():
    objects = MemoryCluster((flannel(GOOD),))
    return AddonWork(
        fleet=FLEET, lock=Lock(), objects=objects, api=Api(MemoryCluster(version="1.37.1"))
    )


def test_a_diff_writes_nothing_and_after_an_apply_there_is_none(work):
    first = asyncio.run(work.diff())
    assert {change.act for change in first.items} == {Act.CREATE}
    assert asyncio.run(work.owned()).items == ()
    applied = asyncio.run(work.apply())
    assert applied.items == first.items
    assert asyncio.run(work.diff()).is_empty


def test_an_extra_that_is_no_longer_asked_for_goes(work):
    asyncio.run(replace(work, extras=("windows-exporter",)).apply())
    gone = [change for change in asyncio.run(work.diff()).items if change.act is Act.DELETE]
    assert {change.name.name for change in gone} == {"windows-exporter"}


def test_deleting_takes_what_was_shown(work):
    asyncio.run(work.apply())
    shown = asyncio.run(work.owned())
    assert shown.items
    assert {change.name for change in asyncio.run(work.delete()).items} == {
        change.name for change in shown.items
    }
    assert asyncio.run(work.owned()).items == ()


def test_a_cluster_that_does_not_suit_is_refused_before_anything_is_written(work):
    rival = daemon_set("kube-proxy-windows", nodeSelector={"kubernetes.io/os": "windows"})
    objects = MemoryCluster((flannel({**GOOD, "Network": "10.1.0.0/16"}), rival))
    with pytest.raises(Refused):
        asyncio.run(replace(work, objects=objects).apply())
    assert objects.writes == 0


def test_pods_that_do_not_run_in_time_are_said(work):
    with pytest.raises(TemporaryError):
        asyncio.run(work.apply(wait_s=0, clock=RealClock()))


def test_rendering_asks_no_cluster_and_applying_renders_the_same(work):
    rendered = rendered_for(FLEET, Lock())
    assert len(asyncio.run(work.apply()).items) == len(rendered.manifests)


def test_add_ons_are_of_one_fleet():
    assert only_fleet([FLEET], file="fleet.yaml") is FLEET
    with pytest.raises(UsageError, match=r"fleet\.yaml has 2"):
        only_fleet([FLEET, FLEET], file="fleet.yaml")


def test_a_folder_written_again_has_no_file_of_before(tmp_path):
    write_folder(tmp_path, {"a.yaml": "", "kustomization.yaml": "resources:\n- a.yaml\n"})
    (tmp_path / "mine.txt").write_text("")
    write_folder(tmp_path, {"b.yaml": "", "kustomization.yaml": "resources:\n- b.yaml\n"})
    assert {path.name for path in tmp_path.iterdir()} == {
        "b.yaml", "kustomization.yaml", "mine.txt",
    }  # fmt: skip
