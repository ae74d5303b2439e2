"""What one run of tests said: its outcomes by test, and what it ran on."""

from collections.abc import Iterable, Mapping
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResults:
    """A whole run: `job` and `build` name it, `started` is in seconds since 1970."""

    job: str
    build: str
    started: int
    variant: Variant
    cases: tuple[Case, ...]
    source: str


# Of two outcomes of one test in one run, which one counts: files of parallel processes each list every test and skip
# what another process ran, and a retry is listed beside the try that failed.
_PAIRS = {
    frozenset((Outcome.PASSED, Outcome.FAILED)): Outcome.FLAKY,
    frozenset((Outcome.PASSED, Outcome.FLAKY)): Outcome.FLAKY,
    frozenset((Outcome.FAILED, Outcome.FLAKY)): Outcome.FLAKY,
}


def merge(cases: Iterable[Case]) -> tuple[Case, ...]:
    """One case for each test, in the order of their first mention."""
    merged: dict[str, Case] = {}
    for case in cases:
        there = merged.get(case.name)
        merged[case.name] = case if there is None else both(there, case)
    return tuple(merged.values())


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
