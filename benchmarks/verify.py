"""What results cost at 7,000 tests and 400 runs: the import against junitparser, a page against plain SQL, in one run.

The import reads files into the store; junitparser only reads the same files. The plain SQL beside the page is one table
with a row for each result, indexed as a page of one combination needs it; both make the same rows of outcomes.
Exits with 1 where a promise is not kept.
"""

import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from junitparser import JUnitXml

from transom.verify import page
from transom.verify.grid import Look, tabs
from transom.verify.reading.sources import Given, runs_at
from transom.verify.results import Case, Outcome, Results, RunResults, Variant
from transom.verify.store import Store, open_store

IMPORT_PROMISED = 2.0
PAGE_PROMISED_S = 0.1
_TESTS, _RUNS, _FILES = 7_000, 400, 40
_ROUNDS = 3
_NOW = 1_790_000_000


def main() -> int:
    """Measure, print, and judge."""
    with tempfile.TemporaryDirectory() as folder:
        kept = [_import(Path(folder)), _pages(Path(folder))]
    print(f"largest: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB")
    return 0 if all(kept) else 1


def _import(folder: Path) -> bool:
    files = [folder / f"junit_{number}.xml" for number in range(_FILES)]
    for number, file in enumerate(files):
        file.write_text(_document(number))
    best = {"junitparser": float("inf"), "import": float("inf")}
    for turn in range(_ROUNDS):
        best["junitparser"] = min(best["junitparser"], _timed(lambda: _parse(files)))
        store = folder / f"import-{turn}.db"
        best["import"] = min(best["import"], _timed(lambda: _keep(files, store)))  # noqa: B023 - called at once
    for name, seconds in best.items():
        print(f"{name:12} {seconds * 1000 / _FILES:7.1f} ms CPU a run of {_TESTS} tests")
    ratio = best["junitparser"] / best["import"]
    print(f"import is {ratio:.2f} x junitparser (promised: {IMPORT_PROMISED})")
    return ratio >= IMPORT_PROMISED


def _parse(files: list[Path]) -> None:
    for file in files:
        for suite in JUnitXml.fromfile(str(file)):
            for case in suite:
                _ = case.name, case.time, [type(result) for result in case.result]


def _keep(files: list[Path], path: Path) -> None:
    with open_store(path, create=True) as store:
        for file in files:
            for run in runs_at(file, Given(job="ci")):
                store.add(run)


def _pages(folder: Path) -> bool:
    chance = random.Random(7)  # noqa: S311 - seeded, so that runs can be compared
    names = [f"[sig-windows] area {n % 40} does the thing number {n}" for n in range(_TESTS)]
    plain = sqlite3.connect(folder / "plain.db")
    plain.execute("CREATE TABLE result (run INTEGER, test INTEGER, outcome INTEGER)")
    with open_store(folder / "grid.db", create=True) as store:
        for run in range(_RUNS):
            outcomes = [_outcome(chance, test, run) for test in range(_TESTS)]
            store.add(_results(run, names, outcomes))
            rows = [(run, test, outcome) for test, outcome in enumerate(outcomes)]
            plain.executemany("INSERT INTO result VALUES (?, ?, ?)", rows)
        plain.execute("CREATE INDEX by_test ON result (test, run, outcome)")
        plain.commit()
        ours = min(_timed(lambda: _page(store)) for _ in range(_ROUNDS))
    theirs = min(_timed(lambda: _plain_page(plain)) for _ in range(_ROUNDS))
    size = (folder / "grid.db").stat().st_size, (folder / "plain.db").stat().st_size
    print(
        f"page of all {_TESTS} x {_RUNS}: {ours * 1000:.0f} ms (promised: {PAGE_PROMISED_S * 1000:.0f})"
    )
    print(
        f"  {ours / theirs:.2f} x plain SQL ({theirs * 1000:.0f} ms); store {size[0] >> 20} MiB, plain {size[1] >> 20} MiB"
    )
    return ours <= PAGE_PROMISED_S


def _page(store: Store) -> int:
    return len(page.html(tabs(store, now=_NOW, look=Look(most_runs=_RUNS)), title="benchmark"))


def _plain_page(plain: sqlite3.Connection) -> int:
    rows: dict[int, bytearray] = {}
    for test, outcome in plain.execute("SELECT test, outcome FROM result ORDER BY test, run"):
        rows.setdefault(test, bytearray()).append(outcome)
    return len(rows)


def _results(run: int, names: list[str], outcomes: list[Outcome]) -> RunResults:
    return RunResults(
        job="ci",
        build=str(run),
        started=_NOW - (_RUNS - run) * 3600,
        variant=Variant(kubernetes="1.37.1", windows="20348", kb=f"revision {run // 30}"),
        results=Results.of(
            Case(name, outcome, 1500, "it failed" if outcome is Outcome.FAILED else "")
            for name, outcome in zip(names, outcomes, strict=True)
        ),
        source="benchmark",
    )


def _outcome(chance: random.Random, test: int, run: int) -> Outcome:
    if test % 5 == 0:
        return Outcome.SKIPPED
    is_bad = chance.random() < 0.003 or (test % 700 == 3 and run > 350)  # noqa: PLR2004 - made up
    return Outcome.FAILED if is_bad else Outcome.PASSED


def _document(number: int) -> str:
    chance = random.Random(number)  # noqa: S311 - seeded
    lines = ['<testsuites><testsuite name="Kubernetes e2e suite" timestamp="2026-11-01T00:00:00">']
    for test in range(_TESTS):
        outcome = _outcome(chance, test, number)
        inner = {Outcome.SKIPPED: "<skipped/>", Outcome.FAILED: "<failure>no answer</failure>"}
        lines.append(
            f'<testcase name="[It] [sig-windows] area {test % 40} does the thing number {test}" '
            f'classname="Kubernetes e2e suite" time="{chance.random() * 9:.3f}">{inner.get(outcome, "")}</testcase>'
        )
    return "\n".join([*lines, "</testsuite></testsuites>"])


def _timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
