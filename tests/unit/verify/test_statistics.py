"""The gate's two calculations, beside numbers that others have calculated."""

from math import isclose

import pytest

from transom.verify.statistics import discoveries, fisher

# failures and passes now, failures and passes before: the one-sided p that R's fisher.test(alternative="greater") gives.
KNOWN = [
    ((3, 1, 1, 3), 0.2428571429),  # the lady who tasted tea
    ((1, 0, 0, 20), 1 / 21),
    ((2, 3, 0, 50), 10 / 1485),
    ((0, 5, 0, 50), 1.0),
    ((5, 0, 0, 5), 1 / 252),
]


@pytest.mark.parametrize(("counts", "expected"), KNOWN)
def test_fisher(counts, expected):
    assert isclose(fisher(*counts), expected, rel_tol=1e-9)


def test_large_counts_neither_overflow_nor_leave_0_to_1():
    assert 0 <= fisher(500, 500, 5, 9995) < 1e-100
    assert isclose(fisher(0, 10_000, 3, 10_000), 1.0)


def test_discoveries_as_benjamini_and_hochberg_give_them():
    """The example of their paper of 1995: 15 chances, of which the first four are believed at 5 %."""
    chances = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
        0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0,
    ]  # fmt: skip
    assert discoveries(chances, 0.05) == [True] * 4 + [False] * 11


def test_seven_thousand_quiet_tests_raise_no_alarm():
    quiet = [(number + 0.5) / 7000 for number in range(7000)]
    assert not any(discoveries(quiet, 0.05))
    assert discoveries([], 0.05) == []
