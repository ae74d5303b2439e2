"""What one run of tests said: its outcomes by test, and what it ran on."""

from array import array
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from transom.model.records import dataclass


class Outcome(IntEnum):
    """How a test ended in a run. The numbers are what stores keep: never renumber, never reuse."""

    ABSENT = 0
    PASSED = 1
    FAILED = 2
    FLAKY = 3  # failed, and passed when it was tried again in the same run
    SKIPPED = 4

    @property
    def ran(self) -> bool:
        """Whether the test was executed."""
        return self in (Outcome.PASSED, Outcome.FAILED, Outcome.FLAKY)


class Case(NamedTuple):
    """One test in one run; `message` is why it failed or was skipped."""

    name: str
    outcome: Outcome
    milliseconds: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """What a run ran on. Empty text means that it is not known."""

    kubernetes: str = ""
    windows: str = ""
    kb: str = ""
    runtime: str = ""
    cni: str = ""
    provider: str = ""
    isolation: str = ""

    @property
    def combination(self) -> "Variant":
        """What a tab of the grid is about: the variant without what changes from run to run.

        A patch of Kubernetes, an update of Windows or of the runtime belongs to the same tab, so that a test that broke
        with it shows the day it did.
        """
        return Variant(
            kubernetes=".".join(self.kubernetes.removeprefix("v").split(".")[:2]),
            windows=self.windows,
            runtime=self.runtime.split(" ")[0],
            cni=self.cni.split(" ")[0],
            provider=self.provider,
            isolation=self.isolation,
        )

    def known(self) -> dict[str, str]:
        """The values that are known, by name."""
        return {name: value for name in VARIANT_KEYS if (value := getattr(self, name))}

    def filled(self, more: Mapping[str, str]) -> "Variant":
        """This variant, with what it does not know taken from `more`."""
        own = {name: getattr(self, name) or more.get(name, "") for name in VARIANT_KEYS}
        return Variant(**own)


VARIANT_KEYS = ("kubernetes", "windows", "kb", "runtime", "cni", "provider", "isolation")


# The largest number of the column of durations, which is 49 days.
_LONGEST_MS = 0xFFFF_FFFF
# Of two outcomes of one test in one run, which one counts: files of parallel processes each list every test and skip
# what another process ran, and a retry is listed beside the try that failed.
_PAIRS = {
    frozenset((Outcome.PASSED, Outcome.FAILED)): Outcome.FLAKY,
    frozenset((Outcome.PASSED, Outcome.FLAKY)): Outcome.FLAKY,
    frozenset((Outcome.FAILED, Outcome.FLAKY)): Outcome.FLAKY,
}


class Results:
    """The tests of one run, one column for each thing known of them; a test has one place in all columns.

    Columns, because a run has thousands of tests: what is done to a whole column at once takes half the time of what is
    done test by test.
    """

    __slots__ = ("_places", "messages", "milliseconds", "outcomes")

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self.outcomes = bytearray()
        self.milliseconds = array("I")
        self.messages: dict[int, str] = {}  # by place; most tests say nothing

    @classmethod
    def of(cls, cases: Iterable[Case]) -> "Results":
        """The results of cases that come one by one; those of one name are one test."""
        made = cls()
        for case in cases:
            made.add(case)
        return made

    def __len__(self) -> int:
        return len(self._places)

    @property
    def names(self) -> KeysView[str]:
        """The name of each test, in the order of their first mention."""
        return self._places.keys()

    def cases(self) -> Iterator[Case]:
        """Each test as one value."""
        for place, name in enumerate(self._places):
            yield self._case(place, name)

    def take(self, other: "Results") -> None:
        """Add the tests of another part of the same run."""
        self.extend(list(other.names), other.outcomes, other.milliseconds, other.messages)

    def extend(
        self,
        names: Sequence[str],
        outcomes: bytes | bytearray,
        milliseconds: Sequence[int],
        messages: Mapping[int, str],
    ) -> None:
        """Add many tests, given as columns."""
        first = len(self)
        new = dict(zip(names, range(first, first + len(names)), strict=True))
        if len(new) == len(names) and new.keys().isdisjoint(self._places):
            self._places |= new
            self.outcomes += outcomes
            self.milliseconds.extend(milliseconds)
            self.messages |= {first + place: text for place, text in messages.items()}
            return
        for place, name in enumerate(names):
            outcome = Outcome(outcomes[place])
            self.add(Case(name, outcome, milliseconds[place], messages.get(place, "")))

    def add(self, case: Case) -> None:
        """Add a test, or another outcome of one that is here."""
        place = self._places.setdefault(case.name, len(self._places))
        if place == len(self.outcomes):
            self.outcomes.append(case.outcome)
            self.milliseconds.append(min(case.milliseconds, _LONGEST_MS))
        else:
            case = both(self._case(place, case.name), case)
            self.outcomes[place] = case.outcome
            self.milliseconds[place] = min(case.milliseconds, _LONGEST_MS)
        self.messages.pop(place, None)
        if case.message:
            self.messages[place] = case.message

    def _case(self, place: int, name: str) -> Case:
        outcome = Outcome(self.outcomes[place])
        return Case(name, outcome, self.milliseconds[place], self.messages.get(place, ""))


def both(first: Case, second: Case) -> Case:
    """One case of two that are the same test."""
    if not first.outcome.ran:
        return second
    if not second.outcome.ran:
        return first
    outcome = _PAIRS.get(frozenset((first.outcome, second.outcome)), second.outcome)
    return Case(
        first.name,
        outcome,
        first.milliseconds + second.milliseconds,
        first.message or second.message,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResults:
    """A whole run: `job` and `build` name it, `started` is in seconds since 1970."""

    job: str
    build: str
    started: int
    variant: Variant
    results: Results
    source: str
