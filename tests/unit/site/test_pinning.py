"""A lock of several fleets: each keeps its own, and a default moves only where it is named."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.fleet.test_pin import FakeFetcher
from tests.unit.recipe.test_defaults import bare, chosen, newer_facts  # noqa: F401 - a fixture

from transom.errors import UsageError
from transom.model.fleet import KubernetesSpec
from transom.recipe.defaults import locked_fleet
from transom.recipe.pinnable import artifacts_of
from transom.report.lock import lines
from transom.site import locks
from transom.site.pinning import check_lock, update_lock


class AnyFetcher(FakeFetcher):
    """A web that has every file, and no published sum."""

    def text(self, url):
        return super().text(url) if url in self.web else f"bytes of {url}"


@pytest.fixture
def lock(tmp_path):
    """Lock fleets as the command does: what `update` names is chosen again."""
    path = tmp_path / "transom.lock"

    def run(*fleets, update=None, check=False):
        kept = locks.load(path)
        chosen = [locked_fleet(fleet, kept, but=update) for fleet in fleets]
        pinnables = [replace(item, checksum_url="") for item in artifacts_of(chosen)]
        door = AnyFetcher()
        if check:
            return check_lock(path, pinnables, None, fleets=chosen)
        done = update_lock(
            path,
            pinnables,
            update=update,
            fetcher=lambda _: door,
            progress=lambda _: lambda *_: None,
            fleets=chosen,
        )
        assert done.failure is None
        return done.report

    run.path = path  # type: ignore[attr-defined]
    return run


def shop():
    return replace(bare(), name="shop")


def till():
    """A fleet of another version, so that its artifacts are others."""
    return replace(bare(), name="till", kubernetes=KubernetesSpec("1.36.2"))


def section(lock, fleet):
    found = lock.section(fleet)
    assert found is not None
    return found


def urls(path, fleet):
    there = locks.load(path)
    return {entry.url for entry in there.entries} & {*section(there, fleet).artifacts}


def test_two_fleets_side_by_side_keep_their_entries(lock):
    lock(shop())
    lock(till())
    theirs = urls(lock.path, "till")
    assert any("1.36.2" in url for url in theirs)
    lock(shop(), update="")
    lock(shop(), update="kubelet")
    assert urls(lock.path, "till") == theirs


def test_what_no_fleet_has_any_more_is_dropped(lock):
    lock(replace(shop(), kubernetes=KubernetesSpec("1.37.0")))
    lock(shop(), update="")
    assert not [entry for entry in locks.load(lock.path).entries if "1.37.0" in entry.url]
    assert not [url for url in section(locks.load(lock.path), "shop").artifacts if "1.37.0" in url]


def test_a_default_is_recorded_with_its_fact(lock):
    lock(shop())
    there = section(locks.load(lock.path), "shop")
    found = {item.name: item for item in there.defaults}
    assert found["containerd"].why == "version-containerd"
    assert lock(shop()).written is False


def test_newer_facts_move_nothing_by_themselves(lock, newer_facts):  # noqa: F811
    lock(shop())
    before = lock.path.read_bytes()
    newer_facts()
    report = lock(shop())
    assert lock.path.read_bytes() == before
    assert "containerd" in {item.name for item in report.newer}
    assert lock(shop(), check=True).is_whole


def test_an_update_shows_old_new_why_and_what_pods_feel(lock, newer_facts):  # noqa: F811
    lock(shop())
    was = chosen(locks.load(lock.path))["containerd"]
    newer_facts()
    report = lock(shop(), update="containerd")
    (change,) = report.defaults
    assert (change.name, change.was, change.now) == ("containerd", was, f"{was}9")
    assert (change.why, change.disruption) == ("version-containerd", "pods-stop")
    assert change.steps == ("artifacts",)
    text = "\n".join(lines(report))
    assert f"shop: containerd {was} -> {was}9  [version-containerd]" in text
    assert "disruption on nodes in use: pods-stop; steps artifacts" in text
    kept = chosen(locks.load(lock.path))
    assert kept["containerd"] == f"{was}9"
    assert not kept["flannel"].endswith("99")


def test_an_update_of_what_the_fleet_does_not_leave_open_is_refused(lock):
    lock(shop())
    with pytest.raises(UsageError, match="no artifact or default 'contanerd'") as caught:
        lock(shop(), update="contanerd")
    assert caught.value.hint == "did you mean containerd?"


def test_a_lock_of_an_older_transom_passes_its_check_and_is_told_what_it_lacks(lock):
    lock(shop())
    old = replace(locks.load(lock.path), fleets=())
    locks.save(lock.path, old)
    report = lock(shop(), check=True)
    assert report.is_whole
    assert "containerd" in {item.name for item in report.unrecorded}


def test_a_section_that_lacks_a_default_fails_the_check(lock):
    lock(shop())
    there = locks.load(lock.path)
    (section,) = there.fleets
    locks.save(lock.path, there.with_sections([replace(section, defaults=section.defaults[1:])]))
    assert not lock(shop(), check=True).is_whole


def test_the_file_says_it_is_of_this_version(lock):
    lock(shop())
    assert 'apiVersion = "transom.dev/v1alpha2"' in Path(lock.path).read_text("utf-8")


def test_what_is_chosen_for_an_upgrade_to_come_is_kept_until_it_came(lock, newer_facts):  # noqa: F811
    old, new = (replace(shop(), kubernetes=KubernetesSpec(text)) for text in ("1.34.1", "1.37.1"))
    lock(old, new)  # as with --to
    found = {item.key: item.value for item in section(locks.load(lock.path), "shop").defaults}
    assert found["containerd", "1.34"] != found["containerd", "1.37"]
    newer_facts()
    lock(old)
    lock(new)
    kept = {item.key: item.value for item in section(locks.load(lock.path), "shop").defaults}
    assert kept["containerd", "1.37"] == found["containerd", "1.37"]
    assert ("containerd", "1.34") not in kept
