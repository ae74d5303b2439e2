"""The table of failures: each message finds its row, and no sentence of Windows decides alone."""

import tomllib
from pathlib import Path

import pytest

from transom.facts.codes import ErrorCode
from transom.facts.failures import Failure
from transom.facts.messages import recognise, recogniser
from transom.facts.rows import read
from transom.model.recognition import Sureness

DATA = Path(__file__).parents[2] / "data" / "messages"


def cases(name, table):
    return tomllib.loads((DATA / name).read_text("utf-8"))[table]


PASTED = cases("pasted.toml", "pasted")
UNSEEN = [
    case
    for name in ("unseen.toml", "issues-1.toml", "issues-2.toml")
    for case in cases(name, "message")
]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["text"][:60]) for case in UNSEEN])
def test_a_message_of_others_has_the_cause_that_was_found_there(case):
    found = recognise(case["text"]).found
    assert found[0].id in case["expected"] if found else not case["expected"]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["text"][:60]) for case in PASTED])
def test_a_message_as_people_paste_it(case):
    """The failure it is, surely; or honestly nothing."""
    found = recognise(case["text"]).found
    assert (found[0].id if found else "") == case["id"]
    assert all(item.sureness is Sureness.SURE for item in found)


@pytest.mark.parametrize("failure", [pytest.param(row, id=row.id) for row in read(Failure)])
def test_every_known_message_has_a_sign_of_its_failure(failure):
    """Time stamps, names and what else stands in a line do not matter."""
    for message in failure.messages:
        line = f"E1116 12:01:02.345 1234 server.go:99] {message} pod=x/y"
        assert [item.id for item in recognise(line).found] == [failure.id], message


@pytest.mark.parametrize("code", [pytest.param(row, id=row.id) for row in read(ErrorCode)])
def test_every_code_is_found_by_value_and_name(code):
    for text in (f"0x{code.value:x}", f"0x{code.value:08X}", code.name):
        found = recogniser().code(text)
        assert found is not None, text
        assert found.id == code.id


@pytest.mark.parametrize(
    "sentence", sorted({row.text for row in read(ErrorCode) if row.text and not row.decides})
)
def test_a_stock_sentence_decides_nothing(sentence):
    assert recognise(f"my program: {sentence}").found == ()


def test_no_two_failures_share_a_sign():
    signs = [sign.casefold() for row in read(Failure) for sign in row.signs]
    assert sorted(signs) == sorted(set(signs))


def test_a_log_names_the_cause_before_its_symptoms():
    log = """\
Events:
  Type     Reason                  Age   From     Message
  ----     ------                  ----  ----     -------
  Normal   Scheduled               2m    sched    Successfully assigned default/web to win1
  Warning  FailedCreatePodSandBox  1m    kubelet  Failed to create pod sandbox: rpc error: code = Unknown
  Warning  Failed                  1m    kubelet  Error: hcs::CreateComputeSystem web: The paging file is too small for this operation to complete.: unknown
  Warning  BackOff                 9s    kubelet  Back-off restarting failed container web in pod web
"""
    found = [item.id for item in recognise(log).found]
    assert found[0] == "failure-page-file"
    assert "failure-crash-loop" in found[1:]
