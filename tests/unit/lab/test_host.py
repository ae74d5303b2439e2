"""A Windows program that Wine loses before its first instruction is started again; every other failure is told."""

import subprocess
from pathlib import Path

import pytest

from transom.errors import PermanentError
from transom_lab.host import HostPlan, WindowsHost
from transom_lab.wine import Wine

LOST = (1, b"ShellExecuteEx failed: Internal error.\r\n")
REFUSED = (5, b"Access is denied.\r\n")
WELL = (0, b"")


class Room:
    """Answers what a test says, one after the other, and the last for ever."""

    def __init__(self, *answers: tuple[int, bytes]) -> None:
        self.answers, self.calls = list(answers), 0

    def call(self, argv, **_):
        self.calls += 1
        code, said = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return subprocess.CompletedProcess(argv, code, b"said\r\n", said)


def host(tmp_path: Path, room: Room) -> WindowsHost:
    plan = HostPlan(name="win1", address="10.77.0.11", windows="2022", local_port=1)
    made = WindowsHost(tmp_path, plan, Wine(tmp_path / "wine64", tmp_path / "wineserver"))
    made.room = room  # type: ignore[assignment]
    return made


def test_a_program_that_was_lost_is_started_again(tmp_path):
    room = Room(LOST, WELL)
    assert host(tmp_path, room).run(["sc", "start", "kubelet"]) == "said\n"
    assert room.calls == 2


@pytest.mark.parametrize(("answer", "calls"), [(LOST, 3), (REFUSED, 1)])
def test_one_that_is_always_lost_and_one_that_fails_are_told(tmp_path, answer, calls):
    room = Room(answer)
    with pytest.raises(PermanentError, match=answer[1].decode().strip()):
        host(tmp_path, room).run(["sc", "start", "kubelet"])
    assert room.calls == calls


def test_nobody_is_told_who_does_not_ask(tmp_path):
    assert host(tmp_path, Room(REFUSED)).run(["sc", "query", "x"], check=False) == "said\n"
