"""What the caretaker does about a shutdown that a program in a host asked for."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from transom_lab.caretaker import attend

_NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


class FakeHost:
    """A host that writes down what was done to it."""

    def __init__(self, drive_c: Path) -> None:
        self.drive_c = drive_c
        self.done: list[str] = []

    def reboot(self) -> None:
        self.done.append("reboot")

    def shut_down(self) -> None:
        self.done.append("shut down")


@pytest.fixture
def host(tmp_path):
    """A host on which no program asked for anything."""
    return FakeHost(tmp_path)


def _ask(host: FakeHost, action: str, at: datetime) -> None:
    file = host.drive_c / "ProgramData/transom-lab/shutdown.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"action": action, "at": at.isoformat(), "comment": ""}))


@pytest.mark.parametrize(("action", "done"), [("restart", "reboot"), ("stop", "shut down")])
def test_a_request_whose_time_has_come_is_carried_out(host, action, done):
    _ask(host, action, _NOW)
    assert attend(host, _NOW)
    assert host.done == [done]


def test_a_request_for_later_waits(host):
    _ask(host, "restart", _NOW + timedelta(seconds=30))
    assert not attend(host, _NOW)
    assert host.done == []


def test_nothing_asked_is_nothing_done(host):
    assert not attend(host, _NOW)
    assert host.done == []
