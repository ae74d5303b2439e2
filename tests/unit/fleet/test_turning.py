"""Turning phases: one short turn for a controller, to the end for a terminal, and what is waited for and how long."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.support.fleet_drain import Time

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.fleet.turning import Failed, Phase, Turning, Waiting, until

BUSY = TemporaryError("the API server restarts")
FORBIDDEN = PermanentError("nodes is forbidden, so far")
SLOW = TemporaryError("it takes too long")


@dataclass
class Work:
    """What each phase is to answer, turn by turn; done where nothing is left of that."""

    answers: dict[str, list[Any]] = field(default_factory=dict)
    turned: list[str] = field(default_factory=list)
    given_up: list[tuple[str, str]] = field(default_factory=list)


def phase(name, *, deadline_s=None, goes_on=False, **more):
    async def turn(work):
        work.turned.append(name)
        left = work.answers.get(name, [])
        answer = left.pop(0) if left else None
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def give_up(work, error):
        work.given_up.append((name, error.message))
        return goes_on

    deadline = None if deadline_s is None else lambda _work: deadline_s
    return Phase(name=name, says=name, turn=turn, deadline_s=deadline, give_up=give_up, **more)


def to_the_end(phases, work, clock=None):
    told: list[str] = []
    asyncio.run(Turning(phases, work, clock or Time(), tell=told.append).to_the_end())
    return told


def test_a_controller_turns_as_far_as_it_goes_and_nothing_sleeps():
    work = Work({"drain": [Waiting(error=SLOW, what="web-1"), Waiting(error=SLOW)]})
    clock = Time()
    turning = Turning([phase("cordon"), phase("drain"), phase("run")], work, clock)

    async def story():
        return [await turning.turn() for _ in range(4)]

    first, second, third, fourth = asyncio.run(story())
    assert (first.what, second.what, third, fourth) == ("web-1", "", None, None)
    assert work.turned == ["cordon", "drain", "drain", "drain", "run"]
    assert clock.now == 0


def test_a_terminal_turns_to_the_end_and_tells_each_thing_once():
    waiting = Waiting(error=SLOW, what="web-1", poll_s=2)
    work = Work({"drain": [waiting, waiting, waiting]})
    clock = Time()
    left_out = phase("upload", when=lambda _work: False)
    told = to_the_end([left_out, phase("drain"), phase("run")], work, clock)
    assert told == ["drain", "web-1", "run"]
    assert clock.now == 6


def test_a_door_that_fails_is_waited_out_until_the_phases_deadline_and_no_longer():
    clock = Time()
    to_the_end([phase("label", deadline_s=60)], Work({"label": [BUSY] * 50}), clock)
    assert clock.now == 50
    clock = Time()
    with pytest.raises(TemporaryError, match="restarts"):
        to_the_end([phase("label", deadline_s=60)], Work({"label": [BUSY] * 500}), clock)
    assert clock.now == 60


def test_what_an_api_server_forbids_as_it_starts_is_waited_out_for_a_minute():
    clock = Time()
    to_the_end([phase("ready", deadline_s=300)], Work({"ready": [FORBIDDEN] * 50}), clock)
    assert clock.now == 50
    clock = Time()
    with pytest.raises(PermanentError, match="forbidden"):
        to_the_end([phase("ready", deadline_s=300)], Work({"ready": [FORBIDDEN] * 500}), clock)
    assert clock.now == 60


def test_a_phase_of_the_host_fails_at_once():
    work, clock = Work({"run": [BUSY]}), Time()
    with pytest.raises(TemporaryError):
        to_the_end([phase("run"), phase("ready")], work, clock)
    assert (work.turned, clock.now) == (["run"], 0)
    assert work.given_up == [("run", BUSY.message)]


@pytest.mark.parametrize("answer", [Failed(FORBIDDEN), UsageError("not confirmed")])
def test_what_was_judged_to_fail_is_not_tried_again(answer):
    work, clock = Work({"drain": [answer]}), Time()
    with pytest.raises((PermanentError, UsageError)):
        to_the_end([phase("drain", deadline_s=600)], work, clock)
    assert (work.turned, clock.now) == (["drain"], 0)


def test_a_wait_ends_with_the_phase_or_with_its_own_moment():
    for waiting, end in (
        (Waiting(error=SLOW, poll_s=7), 56),
        (Waiting(error=SLOW, until_s=20), 20),
    ):
        clock = Time()
        with pytest.raises(TemporaryError, match="too long"):
            to_the_end([phase("ready", deadline_s=60)], Work({"ready": [waiting] * 99}), clock)
        assert clock.now == end


def test_each_phase_has_its_own_time():
    work = Work({"a": [BUSY] * 50, "b": [BUSY] * 50})
    to_the_end([phase("a", deadline_s=60), phase("b", deadline_s=60)], work)


def test_work_goes_on_after_a_phase_that_is_not_vital():
    work = Work({"approve": [Waiting(error=SLOW)] * 99})
    to_the_end([phase("approve", deadline_s=60, goes_on=True), phase("uncordon")], work)
    assert work.turned[-1] == "uncordon"
    assert work.given_up == [("approve", SLOW.message)]


def test_one_thing_that_is_no_phase_is_turned_alike():
    answers = [Waiting(error=SLOW, poll_s=5), None]

    async def look():
        return answers.pop(0)

    clock = Time()
    asyncio.run(until(look, clock, deadline_s=300))
    assert clock.now == 5
