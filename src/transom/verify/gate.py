"""Has anything regressed? The newest results of each combination, judged by the ones before. Pure."""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

from transom.model.records import dataclass
from transom.verify.causes import Cause, cause_of
from transom.verify.results import Outcome, Variant
from transom.verify.statistics import discoveries, fisher
from transom.verify.store import Run


class Reason(StrEnum):
    """Why a test counts as regressed."""

    FAILS_IN_A_ROW = "fails-in-a-row"
    FAILS_MORE_OFTEN = "fails-more-often"
    FAILS_NOW = "fails-now"
    NOT_RUN = "not-run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """How sensitive the gate is.

    `sample` newest runs are compared with up to `basis` runs before them. `in_a_row` failures at the end are a regression
    by themselves. Otherwise at least `failures` failures, a drop of the pass rate by more than `drop`, and at most `rate`
    false alarms among what is reported. `usual` is the share of earlier runs a test must have run in, to be missed.
    """

    name: str
    about: str
    sample: int
    basis: int
    in_a_row: int
    failures: int
    drop: float
    rate: float
    usual: float = 0.8


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            name="development",
            about="for a branch that changes: soon rather than sure",
            sample=5,
            basis=50,
            in_a_row=2,
            failures=2,
            drop=0.05,
            rate=0.05,
        ),
        Preset(
            name="released",
            about="for a released branch: sure rather than soon",
            sample=10,
            basis=100,
            in_a_row=3,
            failures=3,
            drop=0.10,
            rate=0.01,
        ),
    )
}
_NEVER = 1e-9
# With fewer runs before the newest one there is nothing to calculate with.
FEWEST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """One test that is worse than it was, and the numbers that say so.

    `cause` is the known failure that its message shows, and absent where none is known.
    """

    test: str
    reason: Reason
    why: str
    last_good: str
    first_bad: str
    differs: tuple[str, ...]
    chance: float | None = None
    message: str = ""
    cause: Cause | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the gate says of one combination."""

    combination: Variant
    newest: str
    compared_with: str
    tests: int
    regressions: tuple[Regression, ...]
    suspects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class History:
    """The runs of one combination, the oldest first, and their outcomes, a byte for each test."""

    names: Sequence[str]
    runs: Sequence[Run]
    outcomes: Sequence[bytes]
    message: Callable[[int, int], str] = lambda _run, _test: ""

    def of(self, test: int) -> bytes:
        """The outcomes of one test over the runs."""
        return bytes(values[test] for values in self.outcomes)


def judge(history: History, preset: Preset) -> Verdict:
    """Judge the newest run by the ones before it."""
    if len(history.runs) - 1 < FEWEST:
        return compare(history, len(history.runs) - 2)
    rows = [history.of(test) for test in range(len(history.names))]
    certain = [(test, why) for test, row in enumerate(rows) if (why := _certain(row, preset))]
    known = {test for test, _ in certain}
    likely = _likely({test: row for test, row in enumerate(rows) if test not in known}, preset)
    found = sorted([*certain, *likely], key=lambda pair: history.names[pair[0]])
    suspects = [
        history.names[test]
        for test, row in enumerate(rows)
        if row[-1] == Outcome.FAILED and test not in dict(found) and Outcome.PASSED in row[:-1]
    ]
    return Verdict(
        combination=history.runs[-1].variant.combination,
        newest=history.runs[-1].name,
        compared_with=f"{min(len(history.runs) - 1, preset.basis + preset.sample - 1)} runs before it",
        tests=sum(any(row) for row in rows),
        regressions=tuple(_told(history, test, rows[test], why) for test, why in found),
        suspects=tuple(sorted(suspects)),
    )


def compare(history: History, earlier: int) -> Verdict:
    """Judge the newest run by one earlier run alone; `earlier` below 0 means that there is none."""
    newest = len(history.runs) - 1
    found: list[tuple[int, _Why]] = []
    if 0 <= earlier < newest:
        before, now = history.outcomes[earlier], history.outcomes[newest]
        for test in range(len(history.names)):
            why = _worse(Outcome(before[test]), Outcome(now[test]))
            if why:
                found.append((test, why))
    found.sort(key=lambda pair: history.names[pair[0]])
    return Verdict(
        combination=history.runs[newest].variant.combination,
        newest=history.runs[newest].name,
        compared_with=history.runs[earlier].name
        if 0 <= earlier < newest
        else "nothing: it is the first",
        tests=sum(map(bool, history.outcomes[newest])),
        regressions=tuple(
            _told(
                history,
                test,
                bytes((history.outcomes[earlier][test], history.outcomes[newest][test])),
                why,
                (earlier, newest),
            )
            for test, why in found
        ),
        suspects=(),
    )


@dataclass(frozen=True, slots=True)
class _Why:
    reason: Reason
    text: str
    chance: float | None = None


def _worse(before: Outcome, now: Outcome) -> _Why | None:
    if now is Outcome.FAILED and before in (Outcome.PASSED, Outcome.FLAKY):
        was = "was flaky" if before is Outcome.FLAKY else "passed"
        return _Why(Reason.FAILS_NOW, f"it {was} there and fails now")
    if not now.ran and before.ran:
        return _Why(Reason.NOT_RUN, f"it ran there and {_missing(now)} now")
    return None


def _missing(outcome: Outcome) -> str:
    return "is skipped" if outcome is Outcome.SKIPPED else "is absent"


def _certain(row: bytes, preset: Preset) -> _Why | None:
    """A regression that needs no calculation."""
    now = Outcome(row[-1])
    if not now.ran:
        return _not_run(row, now, preset)
    ran = row.translate(None, bytes((Outcome.ABSENT, Outcome.SKIPPED)))
    streak = len(ran) - len(ran.rstrip(bytes((Outcome.FAILED,))))
    before = ran[: len(ran) - streak][-preset.basis :]
    # A test that failed mostly has not regressed by failing again.
    if streak >= preset.in_a_row and before.count(Outcome.FAILED) * 2 < len(before):
        return _Why(
            Reason.FAILS_IN_A_ROW,
            f"it failed {streak} times in a row, after {before.count(Outcome.FAILED)} failures in the {len(before)} runs before",
        )
    return None


def _not_run(row: bytes, now: Outcome, preset: Preset) -> _Why | None:
    before = row[:-1][-preset.basis :]
    ran = sum(Outcome(value).ran for value in before)
    if before and ran >= preset.usual * len(before) and Outcome(before[-1]).ran:
        text = f"it {_missing(now)} now and ran in {ran} of the {len(before)} runs before"
        return _Why(Reason.NOT_RUN, text)
    return None


def _likely(rows: dict[int, bytes], preset: Preset) -> Iterator[tuple[int, _Why]]:
    """Tests that fail more often than before, as far as numbers can tell."""
    tests: list[int] = []
    counts: list[tuple[int, int, int, int]] = []
    for test, row in rows.items():
        counted = _counts(row, preset)
        if counted is not None:
            tests.append(test)
            counts.append(counted)
    chances = [fisher(*counted) for counted in counts]
    for test, counted, chance, is_believed in zip(
        tests, counts, chances, discoveries(chances, preset.rate), strict=True
    ):
        failed, passed, basis_failed, basis_passed = counted
        rate, basis_rate = passed / (failed + passed), basis_passed / (basis_failed + basis_passed)
        if is_believed and failed >= preset.failures and basis_rate - rate > preset.drop:
            text = (
                f"it failed in {failed} of the newest {failed + passed} runs, and in {basis_failed} of the "
                f"{basis_failed + basis_passed} before; by chance alone that happens {_odds(chance)}"
            )
            yield test, _Why(Reason.FAILS_MORE_OFTEN, text, chance)


def _odds(chance: float) -> str:
    return f"once in {round(1 / chance):,} times" if chance > _NEVER else "practically never"


def _counts(row: bytes, preset: Preset) -> tuple[int, int, int, int] | None:
    """Failures and passes of the newest runs and of those before; nothing where one side has none."""
    ran = row.translate(None, bytes((Outcome.ABSENT, Outcome.SKIPPED)))
    sample, basis = ran[-preset.sample :], ran[: -preset.sample][-preset.basis :]
    if not sample or not basis:
        return None
    failed, basis_failed = sample.count(Outcome.FAILED), basis.count(Outcome.FAILED)
    return failed, len(sample) - failed, basis_failed, len(basis) - basis_failed


def _told(
    history: History, test: int, row: bytes, why: _Why, places: Sequence[int] | None = None
) -> Regression:
    places = places or range(len(row))
    good, bad = _change(row)
    first_bad = history.runs[places[bad]]
    last_good = None if good is None else history.runs[places[good]]
    message = history.message(history.runs[places[-1]].number, test)
    return Regression(
        test=history.names[test],
        reason=why.reason,
        why=why.text,
        last_good=last_good.name if last_good else "",
        first_bad=first_bad.name,
        differs=differs(last_good.variant, first_bad.variant) if last_good else (),
        chance=why.chance,
        message=message,
        cause=cause_of(message),
    )


def _change(row: bytes) -> tuple[int | None, int]:
    """Where the last good result stands, and the first bad one after it."""
    good = max((place for place, value in enumerate(row) if value in _GOOD), default=None)
    after = range(0 if good is None else good + 1, len(row))
    bad = next((place for place in after if row[place] == Outcome.FAILED), None)
    return good, len(row) - 1 if bad is None else bad


_GOOD = (Outcome.PASSED, Outcome.FLAKY)


def differs(before: Variant, after: Variant) -> tuple[str, ...]:
    """What two runs ran on that was not the same, in words."""
    old, new = before.known(), after.known()
    return tuple(
        f"{key} {old.get(key, 'unknown')} -> {new.get(key, 'unknown')}"
        for key in dict.fromkeys((*old, *new))
        if old.get(key) != new.get(key)
    )
