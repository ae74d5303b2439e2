"""Old folders of the cache go; what is in use, or was lately, stays."""

import os
import time

import pytest

from transom_lab.leftovers import AGE_S, KEPT, note_use, remove_old
from transom_lab.locks import exclusive

_NOW = time.time()


@pytest.fixture
def folders(tmp_path):
    """Eight of a kind, each used a day before the one after it; the last one now."""
    made = [tmp_path / f"2022-{number}" for number in range(8)]
    for days, folder in enumerate(reversed(made)):
        folder.mkdir()
        (folder / "file").touch()
        os.utime(folder, (_NOW, _NOW - days * (AGE_S + 60)))
    return made


def test_the_last_used_of_a_kind_stay_and_the_others_go(folders, tmp_path):
    removed = remove_old(folders, locks=tmp_path / "locks", now=_NOW)
    assert sorted(removed) == folders[:-KEPT]
    assert [folder for folder in folders if folder.exists()] == folders[-KEPT:]
    assert remove_old(folders[-KEPT:], locks=tmp_path / "locks", now=_NOW) == []


def test_what_was_used_lately_stays_however_many_there_are(folders, tmp_path):
    for folder in folders:
        os.utime(folder, (_NOW, _NOW - AGE_S / 2))
    assert remove_old(folders, locks=tmp_path / "locks", now=_NOW) == []


def test_a_use_is_remembered(folders, tmp_path):
    note_use(folders[0])
    assert folders[0] not in remove_old(folders, locks=tmp_path / "locks", now=_NOW)


def test_what_another_process_is_making_or_taking_stays(folders, tmp_path):
    with exclusive(tmp_path / "locks" / f"{folders[0].name}.lock", timeout_s=1):
        removed = remove_old(folders, locks=tmp_path / "locks", now=_NOW)
    assert folders[0].exists()
    assert sorted(removed) == folders[1:-KEPT]
