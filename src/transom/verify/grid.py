"""The grid: tests by runs, a tab for each combination. Pure, from what the store has."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from transom.model.records import dataclass
from transom.verify.causes import Cause, cause_of
from transom.verify.results import Outcome, Variant
from transom.verify.store import Run, Store

_DAY_S = 86_400
_DIGITS = bytes.maketrans(bytes(range(10)), b"0123456789")


class State(StrEnum):
    """How a test or a tab stands, in TestGrid's words."""

    PASS = "PASS"  # noqa: S105 - not a password
    FAIL = "FAIL"
    FLAKY = "FLAKY"
    STALE = "STALE"
    SKIP = "SKIP"  # it is there and was not run: that is not green


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What decides a state: how many runs are recent, and after how many days nothing is."""

    recent: int = 10
    stale_days: int = 7
    most_runs: int = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """All runs of one combination, the oldest first, with a row for each test that any of them has.

    `took` is how many milliseconds each test took in the newest run.
    """

    combination: Variant
    title: str
    state: State
    runs: tuple[Run, ...]
    tests: tuple[str, ...]
    rows: tuple[bytes, ...]
    states: tuple[State, ...]
    told: dict[tuple[int, int], str]
    took: tuple[int, ...]

    def count(self, state: State) -> int:
        """How many tests stand so."""
        return self.states.count(state)


def title_of(combination: Variant) -> str:
    """A combination in words, such as `Kubernetes 1.37, Windows 20348, containerd, flannel`."""
    known = combination.known()
    words = {"kubernetes": "Kubernetes {}", "windows": "Windows {}"}
    parts = [words.get(key, "{}").format(value) for key, value in known.items()]
    return ", ".join(parts) or "unknown combination"


def combinations(runs: Iterable[Run]) -> dict[Variant, list[Run]]:
    """Runs by their combination, the oldest first."""
    found: dict[Variant, list[Run]] = {}
    for run in runs:
        found.setdefault(run.variant.combination, []).append(run)
    return found


def tabs(store: Store, *, now: int, look: Look) -> list[Tab]:
    """Every tab, those that fail first."""
    order = (State.FAIL, State.FLAKY, State.STALE, State.SKIP, State.PASS)
    made = [
        tab_of(store, combination, runs, now=now, look=look)
        for combination, runs in combinations(store.runs()).items()
    ]
    return sorted(made, key=lambda tab: (order.index(tab.state), tab.title))


def tab_of(store: Store, combination: Variant, runs: Sequence[Run], *, now: int, look: Look) -> Tab:
    """One tab."""
    shown = tuple(runs[-look.most_runs :])
    columns = store.outcomes(shown)
    names = store.names()
    width = len(names)
    cells = b"".join(columns)
    rows = [(place, row) for place in range(width) if any(row := cells[place::width])]
    places = {place: row for row, (place, _) in enumerate(rows)}
    columns_of = {run.number: column for column, run in enumerate(shown)}
    is_stale = not shown or now - shown[-1].started > look.stale_days * _DAY_S
    states = _states([row for _, row in rows], look, is_stale=is_stale)
    return Tab(
        combination=combination,
        title=title_of(combination),
        state=_tab_state(states, is_stale=is_stale),
        runs=shown,
        tests=tuple(names[place] for place, _ in rows),
        rows=tuple(row for _, row in rows),
        states=states,
        told={
            (places[test], columns_of[run]): text
            for run, test, text in store.told(shown)
            if test in places
        },
        took=_took(store, shown, places),
    )


def _took(store: Store, shown: Sequence[Run], places: Iterable[int]) -> tuple[int, ...]:
    newest = store.milliseconds(shown[-1]) if shown else ()
    return tuple([newest[place] if place < len(newest) else 0 for place in places])


def _states(rows: Sequence[bytes], look: Look, *, is_stale: bool) -> tuple[State, ...]:
    """How each test stands; thousands of tests have few histories between them."""
    recent = [row[-look.recent :] for row in rows]
    known = {row: state_of(row, look, is_stale=is_stale) for row in set(recent)}
    return tuple([known[row] for row in recent])


def state_of(row: bytes, look: Look, *, is_stale: bool = False) -> State:
    """How a test stands after these outcomes."""
    recent = row[-look.recent :]
    ran = recent.translate(None, bytes((Outcome.ABSENT, Outcome.SKIPPED)))
    if is_stale or not any(recent):
        return State.STALE
    if not ran:
        return State.SKIP
    if Outcome.FAILED not in ran and Outcome.FLAKY not in ran:
        return State.PASS
    return State.FAIL if ran[-1] == Outcome.FAILED and _is_lasting(ran) else State.FLAKY


def _is_lasting(ran: bytes) -> bool:
    """Whether the failures at the end are more than one, or all there is."""
    end = len(ran) - len(ran.rstrip(bytes((Outcome.FAILED,))))
    return end > 1 or end == len(ran) or Outcome.FAILED not in ran[:-1]


def _tab_state(states: Sequence[State], *, is_stale: bool) -> State:
    if is_stale:
        return State.STALE
    order = (State.FAIL, State.FLAKY, State.PASS)
    return next((state for state in order if state in states), State.SKIP)


def document(tabs_: Sequence[Tab]) -> dict[str, Any]:
    """The tabs as the page reads them: texts once and by number."""
    names: dict[str, int] = {}
    texts: dict[str, int] = {}
    return {
        "tabs": [_tab_document(tab, names, texts) for tab in tabs_],
        "names": list(names),
        "texts": list(texts),
        **_causes(texts),
    }


def _causes(texts: Iterable[str]) -> dict[str, Any]:
    """Each known cause once, and for each text the number of its own; -1 is one that is not known."""
    known: dict[Cause, int] = {}
    numbers = [
        -1 if (cause := cause_of(text)) is None else known.setdefault(cause, len(known))
        for text in texts
    ]
    causes = [
        {"id": each.id, "title": each.title, "sureness": each.sureness, "remedy": each.remedy}
        for each in known
    ]
    return {"causes": causes, "cause_of": numbers}


def written(row: bytes) -> int | str:
    """Outcomes as the page reads them: the one that all runs have, or a digit for each run."""
    if row.count(row[0]) == len(row):
        return row[0]
    return row.translate(_DIGITS).decode("ascii")


def _tab_document(tab: Tab, names: dict[str, int], texts: dict[str, int]) -> dict[str, Any]:
    return {
        "title": tab.title,
        "state": tab.state.value,
        "runs": [
            {"name": run.name, "started": run.started, "on": run.variant.known()}
            for run in tab.runs
        ],
        "tests": [names.setdefault(name, len(names)) for name in tab.tests],
        "states": tab.states,
        "took": tab.took,
        "rows": [written(row) for row in tab.rows],
        # Row, column and text in turn: thousands of small lists would take as long as all the rest.
        "told": [
            number
            for (row, column), text in tab.told.items()
            for number in (row, column, texts.setdefault(text, len(texts)))
        ],
    }
