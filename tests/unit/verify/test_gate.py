"""What counts as regressed, what does not, and what the gate says about it."""

from dataclasses import replace

import pytest

from transom.verify.gate import PRESETS, History, Reason, compare, judge
from transom.verify.results import Outcome, Variant
from transom.verify.store import Run

LETTERS = {".": 0, "P": 1, "F": 2, "~": 3, "S": 4}
DEVELOPMENT, RELEASED = PRESETS["development"], PRESETS["released"]


def history(*variants, **rows):
    """Tests by their outcomes over time, a letter a run."""
    length = len(next(iter(rows.values())))
    cells = [bytes(LETTERS[row[run]] for row in rows.values()) for run in range(length)]
    runs = [
        Run(run, "job", str(run), run, variants[run] if variants else Variant(), "")
        for run in range(length)
    ]
    return History(list(rows), runs, cells)


def found(preset, row):
    verdict = judge(history(test=row), preset)
    return [regression.reason for regression in verdict.regressions]


JUDGED = {
    "all is well": ("P" * 20, [], []),
    "one failure is too little": ("P" * 19 + "F", [], []),
    "two in a row": ("P" * 18 + "FF", [Reason.FAILS_IN_A_ROW], []),
    "three in a row": ("P" * 17 + "FFF", [Reason.FAILS_IN_A_ROW], [Reason.FAILS_IN_A_ROW]),
    "two in a row, one run skipped between": ("P" * 17 + "FSF", [Reason.FAILS_IN_A_ROW], []),
    "it always failed": ("F" * 20, [], []),
    "it failed mostly before": ("FFFPFFFPFF" * 2, [], []),
    "it recovered": ("P" * 17 + "FFP", [], []),
    "more often in the newest five": ("P" * 30 + "FPFFP", [Reason.FAILS_MORE_OFTEN], []),
    "more often in the newest ten": ("P" * 40 + "FPFPFPFPFP", [], [Reason.FAILS_MORE_OFTEN]),
    "skipped where it always ran": ("P" * 19 + "S", [Reason.NOT_RUN], [Reason.NOT_RUN]),
    "absent where it always ran": ("P" * 19 + ".", [Reason.NOT_RUN], [Reason.NOT_RUN]),
    "skipped for long": ("P" * 10 + "S" * 10, [], []),
    "skipped always": ("S" * 20, [], []),
    "new and passing": ("." * 19 + "P", [], []),
    "new and failing: it was never better": ("." * 18 + "FF", [], []),
    "flaky is no failure": ("P" * 18 + "~~", [], []),
}


@pytest.mark.parametrize("name", JUDGED)
def test_judged(name):
    row, development, released = JUDGED[name]
    assert found(DEVELOPMENT, row) == development
    assert found(RELEASED, row) == released


def test_a_single_failure_is_named_as_too_little_to_judge():
    verdict = judge(history(good="P" * 20, odd="P" * 19 + "F"), DEVELOPMENT)
    assert (verdict.regressions, verdict.suspects) == ((), ("odd",))


def test_the_change_is_told_with_what_differed():
    """An update of Windows between the last good and the first bad run is what everyone looks for."""
    old = Variant(kubernetes="1.37.1", windows="20348", kb="KB5036909", runtime="containerd 2.2.1")
    new = Variant(kubernetes="1.37.1", windows="20348", kb="KB5040437", runtime="containerd 2.2.1")
    rows = history(*[old] * 8, *[new] * 2, test="PPPPPPPPFF")
    (regression,) = judge(rows, DEVELOPMENT).regressions
    assert (regression.last_good, regression.first_bad) == ("job/7", "job/8")
    assert regression.differs == ("kb KB5036909 -> KB5040437",)
    assert regression.why == "it failed 2 times in a row, after 0 failures in the 8 runs before"


def test_the_numbers_are_told_in_words():
    (regression,) = judge(history(test="P" * 50 + "PFFPP"), DEVELOPMENT).regressions
    assert regression.why == (
        "it failed in 2 of the newest 5 runs, and in 0 of the 50 before; "
        "by chance alone that happens once in 149 times"
    )


def test_with_few_runs_the_newest_is_compared_with_the_one_before():
    verdict = judge(history(worse="PPF", skipped="PPS", better="FFP", same="FFF"), DEVELOPMENT)
    assert [(item.test, item.reason) for item in verdict.regressions] == [
        ("skipped", Reason.NOT_RUN),
        ("worse", Reason.FAILS_NOW),
    ]
    assert verdict.compared_with == "job/1"


def test_the_first_run_has_nothing_to_be_compared_with():
    verdict = judge(history(test="F"), DEVELOPMENT)
    assert (verdict.regressions, verdict.compared_with) == ((), "nothing: it is the first")


def test_an_earlier_run_can_be_named():
    verdict = compare(history(test="PFF", other="~~F"), 0)
    assert [(item.test, item.why) for item in verdict.regressions] == [
        ("other", "it was flaky there and fails now"),
        ("test", "it passed there and fails now"),
    ]


def test_many_quiet_tests_hide_no_real_one_and_raise_no_false_one():
    quiet = {f"t{n:03}": ("P" * (n % 47) + "F" + "P" * 60)[-55:] for n in range(200)}
    verdict = judge(history(**quiet, real="P" * 50 + "FFPFF"), DEVELOPMENT)
    assert [item.test for item in verdict.regressions] == ["real"]


def test_outcomes_keep_their_numbers():
    """Stores of earlier releases are read by these."""
    assert {outcome.name: outcome.value for outcome in Outcome} == {
        "ABSENT": 0, "PASSED": 1, "FAILED": 2, "FLAKY": 3, "SKIPPED": 4,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ("pod sandbox: hcs: (0xc0370101)", "failure-image-os"),
        ("Expected <int>: 1 to equal <int>: 2", None),
        ("", None),
    ],
)
def test_a_regression_names_its_cause_only_where_it_is_known(message, cause):
    told = replace(history(test="P" * 18 + "FF"), message=lambda _run, _test: message)
    (regression,) = judge(told, DEVELOPMENT).regressions
    assert (regression.cause and regression.cause.id) == cause
