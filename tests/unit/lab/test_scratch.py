"""What is made for the cache appears whole; what a killed maker left is cleared away."""

import pytest

from transom_lab.locks import exclusive
from transom_lab.scratch import clear_abandoned, lock_file, scratch


@pytest.fixture
def cache(tmp_path):
    """A cache with a folder that a killed process left in it, and one that is being made."""
    for name in ("kubeadm-1.37.1-linux-amd64-0a", "2022-abc"):
        left = tmp_path / "bin" / f".making-{name}-x1y2z3_8"
        left.mkdir(parents=True)
        (left / "half").write_text("half")
    return tmp_path


def _scratches(cache):
    return sorted(folder.name for folder in (cache / "bin").glob(".making-*"))


def test_what_nobody_makes_any_more_is_removed_and_the_rest_stays(cache):
    with exclusive(lock_file(cache, cache / "bin" / "2022-abc"), timeout_s=1):
        clear_abandoned(cache)
    assert _scratches(cache) == [".making-2022-abc-x1y2z3_8"]


def test_the_next_maker_removes_what_the_last_one_left(cache):
    with scratch(cache / "bin" / "2022-abc") as folder:
        assert list(folder.iterdir()) == []
        assert folder.parent == cache / "bin"
        (folder / "made").write_text("whole")
        (folder / "made").rename(cache / "bin" / "2022-abc")
        clear = [name for name in _scratches(cache) if "2022" in name]
        assert clear == [folder.name]
    assert _scratches(cache) == [".making-kubeadm-1.37.1-linux-amd64-0a-x1y2z3_8"]
    assert (cache / "bin" / "2022-abc").read_text() == "whole"


def test_a_cache_that_is_not_there_has_nothing_to_clear(tmp_path):
    clear_abandoned(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []
