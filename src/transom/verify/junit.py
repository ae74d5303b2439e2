"""Results written as JUnit XML, for CI systems and TestGrid. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from transom.verify.gate import Verdict
from transom.verify.grid import State, Tab, title_of
from transom.verify.results import Case, Outcome

# XML 1.0 has no way to write the other control characters, not even escaped.
_FORBIDDEN = {code: "?" for code in range(32) if code not in (9, 10, 13)}


def document(
    suites: Mapping[str, Iterable[Case]], *, properties: Mapping[str, str] | None = None
) -> str:
    """Suites by name, each with its cases and the same properties; absent cases are left out."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="transom">']
    for title, cases in suites.items():
        there = [case for case in cases if case.outcome is not Outcome.ABSENT]
        lines += _suite(title, there, properties or {})
    return "\n".join([*lines, "</testsuites>", ""])


def of_grid(tabs: Sequence[Tab]) -> str:
    """How each test of each tab stands: only FAIL is a failure."""
    outcomes = {
        State.FAIL: Outcome.FAILED,
        State.STALE: Outcome.SKIPPED,
        State.SKIP: Outcome.SKIPPED,
    }
    return document(
        {
            tab.title: (
                Case(name, outcomes.get(state, Outcome.PASSED), 0, f"{state.value} in {tab.title}")
                for name, state in zip(tab.tests, tab.states, strict=True)
            )
            for tab in tabs
        }
    )


def of_gate(verdicts: Sequence[Verdict]) -> str:
    """A failed case for each regression; a combination without one has a case that passed."""
    return document({title_of(verdict.combination): _judged(verdict) for verdict in verdicts})


def _judged(verdict: Verdict) -> Iterator[Case]:
    for regression in verdict.regressions:
        cause = f"{regression.cause.title} ({regression.cause.id})" if regression.cause else ""
        told = "\n".join(part for part in (regression.why, cause, regression.message) if part)
        yield Case(regression.test, Outcome.FAILED, 0, told)
    if not verdict.regressions:
        yield Case(f"nothing regressed in {verdict.newest}", Outcome.PASSED)


def _suite(title: str, cases: Sequence[Case], properties: Mapping[str, str]) -> Iterator[str]:
    failures = sum(case.outcome is Outcome.FAILED for case in cases)
    skipped = sum(case.outcome is Outcome.SKIPPED for case in cases)
    yield (
        f'<testsuite name={quoteattr(title.translate(_FORBIDDEN))} tests="{len(cases)}" '
        f'failures="{failures}" skipped="{skipped}">'
    )
    if properties:
        yield "<properties>"
        for name, value in properties.items():
            pair = f"name={quoteattr(name)} value={quoteattr(value.translate(_FORBIDDEN))}"
            yield f"<property {pair}/>"
        yield "</properties>"
    for case in cases:
        yield from _case(case)
    yield "</testsuite>"


def _case(case: Case) -> Iterator[str]:
    took = f' time="{case.milliseconds / 1000:.3f}"' if case.milliseconds else ""
    head = f"<testcase name={quoteattr(case.name.translate(_FORBIDDEN))}{took}"
    failure = f"<failure>{escape(case.message.translate(_FORBIDDEN))}</failure>"
    if case.outcome is Outcome.PASSED:
        yield f"{head}/>"
    elif case.outcome is Outcome.SKIPPED:
        why = f" message={quoteattr(case.message.translate(_FORBIDDEN))}" if case.message else ""
        yield f"{head}><skipped{why}/></testcase>"
    elif case.outcome is Outcome.FAILED:
        yield f"{head}>{failure}</testcase>"
    else:  # TestGrid takes a test that stands twice, failed and passed, for a flaky one
        yield f"{head}>{failure}</testcase>"
        yield f"{head}/>"
