"""What a fleet leaves open is chosen once: a newer Transom with newer facts changes no recipe of a locked fleet."""

from dataclasses import replace
from pathlib import Path

import pytest

from transom.addons.setting import setting_of
from transom.facts import rows
from transom.facts.addons import AddonImage
from transom.facts.install import DefaultVersion
from transom.model.fleet import KubernetesSpec
from transom.model.lock import FleetSection, Lock
from transom.recipe.defaults import defaults_of, locked_fleet, newer, unrecorded
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

FLEETS = Path(__file__).parents[2] / "data" / "fleets"
GOLDENS = sorted(FLEETS.glob("k1*.yaml"))


def fleet_of(path):
    (fleet,) = read_fleets(path.read_bytes(), name=path.name)
    return fleet


def bare(path=FLEETS / "k137-2022-containerd-flannel-overlay.yaml"):
    """A fleet that names no version but that of Kubernetes."""
    fleet = fleet_of(path)
    plugin = type(fleet.network.plugin)()
    return replace(
        fleet, runtime=None, privileged=None, network=replace(fleet.network, plugin=plugin)
    )


def lock_of(fleet):
    return Lock(fleets=(FleetSection(fleet.name, defaults_of(fleet)),))


def chosen(lock, fleet=""):
    """The defaults of a fleet, or of the only one, by name."""
    section = lock.section(fleet) if fleet else lock.fleets[0]
    return {item.name: item.value for item in section.defaults}


@pytest.fixture
def newer_facts(monkeypatch):
    """Facts as a later Transom may have them: every default is another."""

    def later(table, change):
        monkeypatch.setitem(rows._TABLES, table, tuple(map(change, rows.read(table))))

    def changed(row, **columns):
        return type(row).trusted({**{name: getattr(row, name) for name in row.columns}, **columns})

    def take():
        monkeypatch.setattr(rows, "_HELD", {})
        later(DefaultVersion, lambda row: changed(row, version=f"{row.version}9"))
        later(AddonImage, lambda row: changed(row, image=f"{row.image}9"))

    return take


def test_newer_facts_change_the_recipe_of_a_fleet_without_a_lock(newer_facts):
    fleet = bare()
    before = resolve(fleet)
    newer_facts()
    assert resolve(fleet)[0].target.runtime_version == f"{before[0].target.runtime_version}9"


def test_newer_facts_do_not_change_the_recipe_of_a_locked_fleet(newer_facts):
    fleet = locked_fleet(bare(), lock_of(bare()))
    before = resolve(fleet)
    assert before == resolve(bare())
    newer_facts()
    assert resolve(fleet) == before


def test_newer_facts_do_not_change_the_images_of_add_ons_of_a_locked_fleet(newer_facts):
    fleet = locked_fleet(bare(), lock_of(bare()))
    before = setting_of(fleet, resolve(fleet)).image("image-windows-exporter")
    newer_facts()
    assert setting_of(fleet, resolve(fleet)).image("image-windows-exporter") == before
    assert setting_of(bare(), resolve(bare())).image("image-windows-exporter") == f"{before}9"


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_what_is_recorded_gives_the_recipe_that_it_was_recorded_of(path, newer_facts):
    fleet = fleet_of(path)
    before = resolve(fleet)
    locked = locked_fleet(fleet, lock_of(fleet))
    newer_facts()
    # What follows the minor of Kubernetes is no choice of its own.
    minor = {"crictl"} - {item.name for item in defaults_of(fleet)}
    found = resolve(locked)
    assert without(found, minor) == without(before, minor)


def without(recipes, ids):
    return [
        replace(recipe, artifacts=tuple(item for item in recipe.artifacts if item.id not in ids))
        for recipe in recipes
    ]


def test_only_what_is_named_is_chosen_again(newer_facts):
    lock = lock_of(bare())
    newer_facts()
    fleet = locked_fleet(bare(), lock, but="containerd")
    assert [item.name for item in unrecorded(fleet)] == ["containerd"]
    assert unrecorded(locked_fleet(bare(), lock, but="")) == defaults_of(bare())


def test_what_the_facts_would_choose_today_is_told(newer_facts):
    lock = lock_of(bare())
    fleet = locked_fleet(bare(), lock)
    assert [*newer(fleet)] == []
    was = chosen(lock)["containerd"]
    newer_facts()
    told = {item.name: item for item in newer(fleet)}
    assert (told["containerd"].locked, told["containerd"].offered) == (was, f"{was}9")
    assert told["containerd"].why == "version-containerd"


def test_what_a_person_writes_goes_before_the_lock():
    fleet = fleet_of(FLEETS / "k137-2022-containerd-flannel-overlay.yaml")
    lock = Lock(fleets=(FleetSection(fleet.name, defaults_of(bare())),))
    assert "containerd" in chosen(lock)
    assert resolve(locked_fleet(fleet, lock)) == resolve(fleet)


def test_the_version_of_the_cluster_is_recorded_and_a_cluster_that_moves_on_moves_no_node():
    asked = replace(
        bare(),
        kubernetes=KubernetesSpec("cluster"),
        cluster=replace(bare().cluster, version="1.37.1"),
    )
    lock = lock_of(asked)
    assert chosen(lock)["kubernetes"] == "1.37.1"
    later = replace(asked, cluster=replace(asked.cluster, version="1.37.2"))
    assert resolve(locked_fleet(later, lock))[0].target.kubernetes == "1.37.1"
    again = locked_fleet(later, lock, but="kubernetes")
    assert resolve(again)[0].target.kubernetes == "1.37.2"


def test_the_lock_of_another_fleet_chooses_nothing_here():
    other = replace(bare(), name="other")
    assert locked_fleet(bare(), lock_of(other)).locked == ()


def at(version, fleet=None):
    return replace(fleet or bare(), kubernetes=KubernetesSpec(version))


def test_a_minor_that_the_facts_do_not_tell_apart_keeps_what_was_chosen(newer_facts):
    lock = lock_of(at("1.36.1"))
    newer_facts()
    upgraded = at("1.37.1", locked_fleet(at("1.36.1"), lock))
    assert resolve(upgraded)[0].target.runtime_version == chosen(lock)["containerd"]
    assert resolve(upgraded)[0].network.version == chosen(lock)["flannel"]


def test_a_minor_that_needs_another_choice_gets_one():
    lock = lock_of(at("1.34.1"))
    upgraded = at("1.37.1", locked_fleet(at("1.34.1"), lock))
    assert chosen(lock)["containerd"].startswith("1.7.")
    assert (
        resolve(upgraded)[0].target.runtime_version
        == resolve(at("1.37.1"))[0].target.runtime_version
    )
    assert resolve(upgraded)[0].network.version == chosen(lock)["flannel"]
