"""`transom verify gate`: what regressed, and exit 1 where anything did."""

from argparse import Namespace
from collections.abc import Iterable, Sequence

from transom.cli import console
from transom.cli.documents.verify import GateReport
from transom.cli.verifying import store_path
from transom.errors import UsageError
from transom.verify import junit
from transom.verify.gate import PRESETS, History, Verdict, compare, judge
from transom.verify.grid import combinations, title_of
from transom.verify.store import Run, Store, open_store

_LATEST = "latest"


def run(args: Namespace) -> int:
    """Judge the newest run of every combination."""
    with open_store(store_path(args.store)) as store:
        runs = combinations(store.runs())
        if not runs:
            raise UsageError(
                "there are no results to judge",
                subject=str(store_path(args.store)),
                hint="`transom verify import` brings some",
            )
        verdicts = _verdicts(store, runs.values(), args)
    regressed = sum(len(verdict.regressions) for verdict in verdicts)
    report = GateReport(preset=args.preset, against=args.against, verdicts=verdicts)
    if args.output == "json":
        console.print_json(report)
    elif args.output == "junit":
        print(junit.of_gate(verdicts), end="")
    else:
        for verdict in verdicts:
            _print(verdict)
    return 1 if regressed else 0


def _verdicts(
    store: Store, combinations_: Iterable[Sequence[Run]], args: Namespace
) -> tuple[Verdict, ...]:
    every = list(combinations_)
    if args.against not in ("", _LATEST):
        return (_against(store, every, args.against),)
    made = [_history(store, runs) for runs in every]
    if args.against == _LATEST:
        return tuple(compare(history, len(history.runs) - 2) for history in made)
    return tuple(judge(history, PRESETS[args.preset]) for history in made)


def _against(store: Store, every: Sequence[Sequence[Run]], wanted: str) -> Verdict:
    """The newest run of the combination that has the wanted one, compared with it.

    Where the wanted run is itself the newest of its combination, the newest of all is compared: two releases.
    """
    found = [run for runs in every for run in runs if wanted in (run.name, run.build)]
    if len(found) != 1:
        known = "none" if not found else " and ".join(run.name for run in found)
        raise UsageError(
            f"{wanted!r} names {len(found)} runs: {known}",
            subject="--against",
            hint="write JOB/BUILD; `transom verify grid` shows the runs",
        )
    runs = next(runs for runs in every if found[0] in runs)
    newest = runs[-1]
    if newest == found[0]:
        newest = max((run for runs in every for run in runs), key=lambda run: run.started)
    if newest == found[0]:
        raise UsageError(f"{wanted!r} is the newest run itself", subject="--against")
    return compare(_history(store, [found[0], newest]), 0)


def _history(store: Store, runs: Sequence[Run]) -> History:
    """The runs with their outcomes; what was said is read where it is asked for."""
    said = {(run, test): text for run, test, text in store.told(runs[-1:])}
    return History(
        names=store.names(),
        runs=runs,
        outcomes=store.outcomes(runs),
        message=lambda run, test: said.get((run, test), ""),
    )


def _print(verdict: Verdict) -> None:
    title = title_of(verdict.combination)
    print(f"{title}: {verdict.newest} with {verdict.tests} tests, against {verdict.compared_with}")
    for regression in verdict.regressions:
        print(f"  REGRESSED  {regression.test}")
        print(f"    why:       {regression.why}")
        print(f"    first bad: {regression.first_bad}; last good: {regression.last_good or 'none'}")
        if regression.last_good:
            differed = "; ".join(regression.differs) or "nothing that is known of the runs"
            print(f"    differed:  {differed}")
        if regression.message:
            print(f"    it said:   {regression.message.splitlines()[0]}")
    for name in verdict.suspects:
        print(f"  failed once, too little to judge: {name}")
    if not verdict.regressions:
        print("  nothing regressed")
