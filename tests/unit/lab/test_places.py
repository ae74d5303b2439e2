"""Where the lab keeps its things."""

from pathlib import Path

import pytest

from transom.errors import UsageError
from transom_lab.places import cache_directory, lab_directory


def test_the_users_own_directories_are_the_default():
    home = {"HOME": "/home/me"}
    assert cache_directory(home) == Path("/home/me/.cache/transom-lab")
    assert lab_directory("x", home) == Path("/home/me/.local/share/transom-lab/x")


def test_the_environment_may_name_others():
    named = {"TRANSOM_LAB_CACHE": "/srv/cache", "TRANSOM_LAB_HOME": "/srv/labs"}
    assert cache_directory(named) == Path("/srv/cache")
    assert lab_directory("x", named) == Path("/srv/labs/x")


def test_tmp_is_refused_because_hosts_have_their_own():
    with pytest.raises(UsageError, match="hosts have a /tmp of their own"):
        cache_directory({"TRANSOM_LAB_CACHE": "/var/../tmp/cache"})
    with pytest.raises(UsageError, match="hosts have a /tmp of their own"):
        lab_directory("x", {"TRANSOM_LAB_HOME": "/var/../tmp"})


@pytest.mark.parametrize("name", ["", "../x", "a/b", "X", "-a", "a-", "a" * 33, "a b"])
def test_a_name_that_is_not_a_plain_word_is_refused(name):
    with pytest.raises(UsageError, match="cannot name a lab"):
        lab_directory(name, {"HOME": "/home/me"})
