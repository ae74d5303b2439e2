"""The environment is read from this machine, in one place."""

import io
from pathlib import Path

import pytest

from transom.cli.environment import environment


def test_variables_and_home_are_this_machines(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("WORD", "hunter2")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    monkeypatch.setattr("sys.platform", "linux")
    found = environment()
    assert (found.home, found.variables["WORD"]) == (Path("/home/me"), "hunter2")
    assert found.results == Path("/data/transom/results.db")


@pytest.mark.parametrize("stdin", [None, io.StringIO()])
def test_nobody_can_be_asked_without_a_terminal(stdin, monkeypatch):
    monkeypatch.setattr("sys.stdin", stdin)
    assert not environment().can_ask


def test_a_user_without_a_home_is_no_failure(monkeypatch):
    def home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    assert environment().home == Path("/")
