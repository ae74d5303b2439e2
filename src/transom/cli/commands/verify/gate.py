"""`transom verify gate`: what regressed, and exit 1 where anything did."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli.commands.verify import options
from transom.cli.output import console

if TYPE_CHECKING:
    from transom.verify.gate import Regression, Verdict

SUMMARY = "say what regressed; exit 1 if anything did"


def configure(parser: ArgumentParser) -> None:
    """Add the store, what is compared and the form."""
    options.add_store_argument(parser)
    parser.add_argument(
        "--against",
        metavar="RUN",
        default="",
        help="one earlier run as JOB/BUILD or BUILD, or `latest`; default: all earlier runs, by statistics",
    )
    parser.add_argument(
        "--preset", choices=("development", "released"), default="development", help="how sensitive"
    )
    parser.add_argument("-o", "--output", choices=("text", "json", "junit"), default="text")


def run(args: Namespace) -> int:
    """Judge the newest run of every combination."""
    from transom.documents.verify import GateReport
    from transom.site.results import verdicts
    from transom.verify import junit

    judged = verdicts(options.store_path(args.store), preset=args.preset, against=args.against)
    if args.output == "json":
        console.print_json(GateReport(preset=args.preset, against=args.against, verdicts=judged))
    elif args.output == "junit":
        print(junit.of_gate(judged), end="")
    else:
        for verdict in judged:
            _print(verdict)
    return 1 if any(verdict.regressions for verdict in judged) else 0


def _cause(regression: "Regression") -> str:
    cause = regression.cause
    if cause is None:
        return "not known; `transom explain` takes a longer log"
    return f"{cause.title} ({cause.sureness}); `transom explain {cause.id}`"


def _print(verdict: "Verdict") -> None:
    from transom.verify.grid import title_of

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
            print(f"    cause:     {_cause(regression)}")
    for name in verdict.suspects:
        print(f"  failed once, too little to judge: {name}")
    if not verdict.regressions:
        print("  nothing regressed")
