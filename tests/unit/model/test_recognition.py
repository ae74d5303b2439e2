"""A pasted text is read line by line, and only what one failure alone prints decides."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.model.recognition import Code, Known, Rank, Recognised, Recogniser, Sureness

NETWORK = Known("network", ("hcnCreateNetwork*already exists",), ("hcnCreateNetwork failed",))
DISK = Known("disk", ("!not enough space",), ("There is not enough space on the disk",))
EVENT = Known(
    "event", ("failed to create pod sandbox",), ("Failed to create pod sandbox",), Rank.SYMPTOM
)
NOISE = Known("noise", ("perf counter",), ("Unable to get perf counter data",), Rank.HARMLESS)
DENIED = Code("denied", 5, "ERROR_ACCESS_DENIED", "Access is denied.", decides=False)
CRASH = Code("crash", 0xC0000005, "STATUS_ACCESS_VIOLATION", "", decides=True)
DIED = Code("died", 0xC0370106, "HCS_E_UNEXPECTED_EXIT", "The container exited.", decides=True)
PAGING = Code(
    "paging", 0x5AF, "ERROR_COMMITMENT_LIMIT", "The paging file is too small.", decides=True
)

TABLE = Recogniser((NETWORK, DISK, EVENT, NOISE), (DENIED, CRASH, DIED, PAGING))


def ids(text):
    return [found.id for found in TABLE.recognise(text).found]


def test_a_sign_in_one_line_is_the_failure_with_that_line():
    text = "all is well\n  E0101 hcnCreateNetwork failed: it ALREADY   exists\n"
    (found,) = TABLE.recognise(text).found
    assert found == Recognised(
        "network", Sureness.SURE, "E0101 hcnCreateNetwork failed: it ALREADY   exists"
    )


def test_parts_of_a_sign_in_different_lines_are_nothing():
    lines = ["hcnCreateNetwork was called", *["something else"] * 3, "the file already exists"]
    assert ids("\n".join(lines)) == []


@pytest.mark.parametrize(
    "broken", ["hcnCreateNetwork failed: it\n already exists", "hcnCreate\nNetwork already exists"]
)
def test_a_line_that_a_console_broke_is_still_read(broken):
    assert ids(broken) == ["network"]


def test_causes_come_before_symptoms_and_symptoms_before_what_is_harmless():
    text = "perf counter\nFailed to create pod sandbox: x\nhcnCreateNetwork: already exists"
    assert ids(text) == ["network", "event", "noise"]


def test_the_longest_sign_of_a_line_wins_unless_one_is_marked():
    assert ids("hcnCreateNetwork already exists: not enough space") == ["disk"]


def test_a_code_says_more_than_a_symptom_and_less_than_a_cause():
    assert ids("Failed to create pod sandbox: (0xc0370106)") == ["died"]
    assert ids("hcnCreateNetwork already exists (0xc0370106)") == ["network"]
    assert ids("perf counter 0xc0000005") == ["noise"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exit status 0xc0000005", "crash"),
        ("Exit Code: -1073741819", "crash"),
        ("exitCode=3221225477", "crash"),
        ("Error code is c0000005", "crash"),
        ("it ended with STATUS_ACCESS_VIOLATION", "crash"),
        ("hcs failed (0x80370106)", "died"),
        ("HRESULT 0x800705af", "paging"),
        ("the paging file is too small", "paging"),
    ],
)
def test_a_code_is_known_in_every_dress(text, expected):
    assert ids(text) == [expected]


@pytest.mark.parametrize("text", ["Access is denied. (0x5)", "0x5", "Access is denied."])
def test_a_stock_code_or_its_sentence_decides_nothing(text):
    assert ids(text) == []


def test_a_stock_code_is_told_beside_the_answer():
    assert TABLE.recognise("open x: Access is denied. (0x5)").stock == ("denied",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0xC0370106", DIED),
        ("c0370106", DIED),
        ("(0xc0370106)", DIED),
        ("-1073741819", CRASH),
        ("5", DENIED),
        ("HCS_E_UNEXPECTED_EXIT", DIED),
        ("0xdeadbeef", None),
        ("12345678901234", None),
        ("what is 0x5", None),
    ],
)
def test_a_text_that_is_only_a_code_names_it(text, expected):
    assert TABLE.code(text) == expected


def test_most_of_a_message_with_a_token_of_its_own_is_likely():
    table = Recogniser((Known("sync", (), ("syncProxyRules took far too long to finish",)),), ())
    (found,) = table.recognise("syncProxyRules took too long to finish").found
    assert (found.id, found.sureness) == ("sync", Sureness.LIKELY)
    assert table.recognise("it took far too long to finish").found == ()


def test_what_is_not_known_names_the_two_nearest():
    found = TABLE.recognise("failed to create the pod; no space on the disk")
    assert found.found == ()
    assert set(found.nearest) <= {"event", "disk"}
    assert len(found.nearest) == 2


def test_what_is_like_nothing_names_nothing():
    assert TABLE.recognise("zzz qqq").nearest == ()


@given(st.text())
def test_any_text_is_answered(text):
    seen = TABLE.recognise(text)
    assert all(found.line in text for found in seen.found) or "\n" in text or seen.found


@given(st.text())
def test_any_text_is_a_code_or_not(text):
    assert TABLE.code(text) in (None, DENIED, CRASH, DIED, PAGING)
