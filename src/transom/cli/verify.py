"""`transom verify`: results of tests over time, and whether anything regressed."""

from argparse import ArgumentParser, Namespace

SUMMARY = "Results of tests on Windows nodes over time: imported, shown as a grid, and judged."

_EXAMPLES = """\
examples:
  transom verify import _artifacts/junit_01.xml --variant kubernetes=1.37.1 --variant windows=20348
  transom verify import logs/ci-windows/                 every run of a Prow job
  transom verify import 202611180405_sonobuoy.tar.gz     versions are read from its nodes
  transom verify grid --out grid.html                    one file, to open or to publish
  transom verify gate                                    exit 1 where something regressed
  transom verify gate --against latest                   only the run before the newest
  transom verify gate --preset released -o junit

exit codes: 0 done or nothing regressed, 1 something regressed, 2 usage or unreadable results, 4 try again
"""


def configure(parser: ArgumentParser) -> None:
    """Add the actions."""
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, summary: str) -> ArgumentParser:
        made = actions.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        made.add_argument(
            "--store",
            metavar="FILE",
            default="",
            help="the results; default: transom/results.db in your data folder",
        )
        return made

    _import(action("import", "keep the results of runs: JUnit, Ginkgo, Prow, Sonobuoy"))
    _grid(action("grid", "write the grid as one HTML file"))
    _serve(action("serve", "show the grid in a browser until interrupted; it follows the store"))
    _gate(action("gate", "say what regressed; exit 1 if anything did"))


def _import(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, tarball or folder")
    parser.add_argument("--job", default="", help="whose runs they are; default: from the files")
    parser.add_argument("--build", default="", help="the run's name; for a single run only")
    parser.add_argument("--started", default="", metavar="TIME", help="when it began, in ISO 8601")
    parser.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="what the runs ran on: kubernetes, windows (build), kb, runtime, cni, provider, isolation; repeatable",
    )
    parser.add_argument("--replace", action="store_true", help="import known runs again")
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text")


def _grid(parser: ArgumentParser) -> None:
    _look(parser)
    parser.add_argument("--out", metavar="FILE", help="the HTML file; - is standard output")
    parser.add_argument("--badge", metavar="FILE", help="also an SVG badge of the whole")
    parser.add_argument("--prow", metavar="DIR", help="also every run in Prow's layout")
    parser.add_argument("-o", "--output", choices=("text", "json", "junit"), default="text")


def _serve(parser: ArgumentParser) -> None:
    _look(parser)
    parser.add_argument(
        "--listen", metavar="ADDRESS:PORT", default="127.0.0.1:8780", help="default: %(default)s"
    )


def _look(parser: ArgumentParser) -> None:
    parser.add_argument("--title", default="Windows on Kubernetes: results")
    parser.add_argument("--runs", type=int, default=400, help="at most so many runs a tab")
    parser.add_argument(
        "--stale-days", type=int, default=7, help="without a run for so long a tab is STALE"
    )


def _gate(parser: ArgumentParser) -> None:
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
    """Do one action."""
    from importlib import import_module

    names = {"import": "importing", "grid": "grid", "serve": "serve", "gate": "gate"}
    module = import_module(f"transom.cli.verifying.{names[args.action]}")
    code: int = module.run(args)
    return code
