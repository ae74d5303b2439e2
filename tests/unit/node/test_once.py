"""Answers that take long: found once, by whoever asks first, also beside all else."""

import threading

import pytest

from transom.errors import PermanentError
from transom.node.host.once import Once, begin

WAIT_S = 10


def test_whoever_asks_meanwhile_waits_and_gets_the_same_answer():
    answers: Once[str, str] = Once()
    looks, may_end = [], threading.Event()

    def look():
        looks.append("looked")
        assert may_end.wait(WAIT_S)
        return "answer"

    found = []
    asking = [
        threading.Thread(target=lambda: found.append(answers.get("it", look))) for _ in range(3)
    ]
    for thread in asking:
        thread.start()
    may_end.set()
    for thread in asking:
        thread.join(WAIT_S)
    assert (found, looks) == (["answer"] * 3, ["looked"])


def test_another_question_does_not_wait_for_the_first():
    answers: Once[str, object] = Once()
    may_end = threading.Event()
    slow = threading.Thread(target=lambda: answers.get("slow", lambda: may_end.wait(WAIT_S)))
    slow.start()
    assert answers.get("quick", lambda: "answer") == "answer"
    may_end.set()
    slow.join(WAIT_S)


def test_what_could_not_be_found_is_looked_for_again():
    answers: Once[str, object] = Once()

    def fail():
        raise PermanentError("not now")

    with pytest.raises(PermanentError):
        answers.get("it", fail)
    assert answers.get("it", lambda: "answer") == "answer"


def test_what_was_forgotten_is_looked_for_again():
    answers: Once[str, object] = Once()
    assert answers.get("it", lambda: "old") == "old"
    answers.forget()
    assert answers.get("it", lambda: "new") == "new"


@pytest.mark.parametrize("at_once", [1, 2, 9])
def test_what_was_begun_goes_through_all_of_it_though_one_fails(at_once):
    seen, all_seen = [], threading.Semaphore(0)

    def look(subject):
        seen.append(subject)
        all_seen.release()
        if subject == "b":
            raise PermanentError("no b")

    begin(look, ["a", "b", "c"], at_once=at_once)
    for _ in range(3):
        assert all_seen.acquire(timeout=WAIT_S)
    assert sorted(seen) == ["a", "b", "c"]


def test_nothing_to_look_at_begins_nothing():
    before = threading.active_count()
    begin(pytest.fail, [], at_once=4)
    assert threading.active_count() == before
