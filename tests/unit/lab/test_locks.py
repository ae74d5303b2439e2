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
