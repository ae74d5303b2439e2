"""`transom fix`: manifests corrected in place, as far as that is safe."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.model.finding import Finding
    from transom.workload.fix import Fixer, Left
    from transom.workload.linting.run import Job
    from transom.workload.linting.settings import Settings

SUMMARY = "Correct manifests for Windows in place, keeping comments, order, quoting and line ends."

_EXAMPLES = """\
examples:
  transom fix --diff deploy/                show what would change, change nothing
  transom fix deploy/                       change the files
  transom fix --rules WIN024,WIN071 web.yaml
  helm template shop | transom fix -        standard input to standard output

What is ignored for `transom lint` is left alone here too. `transom fix --list` shows which rules
have a fix; those that need --unsafe change something that a person meant.

exit codes: 0 done, also where a fix needs --unsafe and was left,
            1 with --diff something would change, or a fix could not be made,
            2 usage or something that cannot be read
"""


def configure(parser: ArgumentParser) -> None:
    """Add what is fixed, how far, and for which cluster."""
    from transom.cli.options.workload_options import add_cluster_options, add_file_options

    parser.epilog = _EXAMPLES
    parser.add_argument("paths", nargs="*", metavar="PATH", help="file, folder, pattern or -")
    parser.add_argument("--diff", action="store_true", help="show the changes and write nothing")
    parser.add_argument(
        "--rules",
        metavar="RULE[,RULE]",
        action="append",
        default=[],
        help="only these rules or families",
    )
    parser.add_argument(
        "--unsafe", action="store_true", help="also fixes that may not be what was meant"
    )
    parser.add_argument("--list", action="store_true", help="show which rules have a fix")
    add_file_options(parser)
    add_cluster_options(parser)


def run(args: Namespace) -> int:
    """Fix, say what was done, and turn it into an exit code."""
    if args.list:
        return _list()
    if not args.paths:
        raise UsageError("no file named", subject="PATH", hint="name a file, a folder or -")
    from transom.cli.options.workload_options import files_of, job_of, named_by, settings_of
    from transom.cli.output import findings as output
    from transom.cli.output.rewriting import rewrite

    settings = settings_of(args)
    fixers = _Fixers(job_of(args, settings), settings, _rules(args.rules), unsafe=args.unsafe)
    left: list[Left] = []

    def change(name: str, data: bytes) -> bytes:
        result = fixers.of(name).fix(data, name=name)
        for fixed in result.fixed:
            _tell(fixed.finding, fixed.what)
        for still in result.left:
            _tell(still.finding, f"not fixed: {still.reason}")
        left.extend(still for still in result.left if not still.needs_unsafe)
        return result.data

    names, missing = files_of(args, settings)
    done = rewrite(list(names), change, diff=args.diff, named=named_by(args))
    output.tell_left_out(done.templates)
    output.tell_unreadable([*missing, *done.unreadable])
    if missing or done.unreadable:
        return UsageError.exit_code
    return int(bool(left) or (args.diff and done.changed > 0))


class _Fixers:
    """What fixes a file; settings may say other things of some files."""

    def __init__(
        self, job: "Job", settings: "Settings", rules: frozenset[str], *, unsafe: bool
    ) -> None:
        self._job = job
        self._settings = settings
        self._rules = rules
        self._unsafe = unsafe
        self._made: dict[tuple[int, frozenset[str]], Fixer] = {}

    def of(self, name: str) -> "Fixer":
        """The one for a file."""
        from transom.workload.fix import Fixer

        job = self._job.of_file(name)
        key = (id(job.ctx), job.without)
        if key not in self._made:
            self._made[key] = Fixer(
                job.ctx,
                rules=self._rules,
                unsafe=self._unsafe,
                without=job.without,
                ignores=self._settings.ignores,
                templates=job.templates,
                patches=job.patches,
            )
        return self._made[key]


def _tell(finding: "Finding", what: str) -> None:
    place = f"{finding.file}:{finding.line}"
    print(f"{place}: {finding.rule} {finding.path}: {what}", file=sys.stderr)


def _rules(written: list[str]) -> frozenset[str]:
    from transom.workload.families import meant_by
    from transom.workload.remedy import REMEDIES

    names = [rule.strip() for text in written for rule in text.split(",")]
    wanted, unknown = meant_by(names, frozenset(REMEDIES))
    if unknown:
        raise UsageError(
            f"there is no fix for {', '.join(unknown)}",
            subject="--rules",
            hint="`transom fix --list` shows which rules have one",
        )
    return wanted


def _list() -> int:
    from transom.cli.output.console import print_table
    from transom.workload.remedy import REMEDIES, safety
    from transom.workload.rule import rows_of

    print_table(
        ["RULE", "SAFE", "WHAT", "TITLE"],
        [
            [rule, safety(remedy), remedy.what, rows_of(rule)[0].title]
            for rule, remedy in sorted(REMEDIES.items())
        ],
    )
    return 0
