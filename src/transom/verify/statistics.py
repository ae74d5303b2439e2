"""The two calculations that the gate makes. Pure."""

from collections.abc import Sequence
from math import exp, lgamma


def fisher(failed: int, passed: int, basis_failed: int, basis_passed: int) -> float:
    """The chance to see so many failures, or more, if nothing had changed: Fisher's exact test, one-sided.

    Of all results together so many are failures; the chance is that of drawing at least `failed` of them blindly into
    the newer runs.
    """
    newer, failures = failed + passed, failed + basis_failed
    total = newer + basis_failed + basis_passed
    whole = _choose(total, newer)
    most = min(newer, failures)
    chance = sum(
        exp(_choose(failures, drawn) + _choose(total - failures, newer - drawn) - whole)
        for drawn in range(failed, most + 1)
        if newer - drawn <= total - failures
    )
    return min(1.0, chance)


def _choose(items: int, drawn: int) -> float:
    """The logarithm of how many ways there are to draw."""
    return lgamma(items + 1) - lgamma(drawn + 1) - lgamma(items - drawn + 1)


def discoveries(chances: Sequence[float], rate: float) -> list[bool]:
    """Which of many findings to believe so that at most `rate` of the believed ones are false (Benjamini-Hochberg).

    Of 7,000 tests that did not change, 350 would each look significant at 5 %; together they must not.
    """
    order = sorted(range(len(chances)), key=chances.__getitem__)
    believed = 0
    for rank, place in enumerate(order, start=1):
        if chances[place] <= rate * rank / len(chances):
            believed = rank
    chosen = set(order[:believed])
    return [place in chosen for place in range(len(chances))]
