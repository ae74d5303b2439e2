"""Locks between processes."""

import pytest

from transom.errors import TemporaryError
from transom_lab.locks import exclusive


def test_a_held_lock_is_not_given_twice(tmp_path):
    lock = tmp_path / "locks" / "x.lock"
    with (
        exclusive(lock, timeout_s=0),
        pytest.raises(TemporaryError, match="another process"),
        exclusive(lock, timeout_s=-1),
    ):
        pass
    with exclusive(lock, timeout_s=0):
        pass


def test_a_lock_file_that_its_holder_removed_locks_out_nobody_and_is_not_locked_itself(tmp_path):
    """As `down` does: whoever waited for the old file must not believe to be alone with it."""
    lock = tmp_path / "x.lock"
    with exclusive(lock, timeout_s=0):
        lock.unlink()
        with (
            exclusive(lock, timeout_s=0),
            pytest.raises(TemporaryError),
            exclusive(lock, timeout_s=-1),
        ):
            pass
