"""Unit tests are pure: no network, no other program, no waiting for real time."""

import socket
import subprocess
import time

import pytest


@pytest.fixture(autouse=True)
def forbid_the_outside_world(monkeypatch):
    """Make a unit test that reaches out fail where it does."""

    def forbid(name):
        def refuse(*_args, **_kwargs):
            raise AssertionError(f"a unit test must not use {name}")

        return refuse

    monkeypatch.setattr(socket.socket, "connect", forbid("the network"))
    monkeypatch.setattr(socket.socket, "bind", forbid("the network"))
    monkeypatch.setattr(subprocess.Popen, "__init__", forbid("other programs"))
    monkeypatch.setattr(time, "sleep", forbid("real time"))
    monkeypatch.setenv("NO_COLOR", "1")
