"""`transom fix`: manifests corrected in place, as far as that is safe."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.model.finding import Finding

SUMMARY = "Correct manifests for Windows in place, keeping comments, order, quoting and line ends."

_EXAMPLES = """\
examples:
  transom fix --diff deploy/                show what would change, change nothing
  transom fix deploy/                       change the files
  transom fix --rules WIN024,WIN071 web.yaml
  helm template shop | transom fix -        standard input to standard output

What is ignored for `transom lint` is left alone here too. `transom fix --list` shows which rules
have a fix; those that need --unsafe change something that a person meant.

exit codes: 0 done, 1 with --diff something would change, or a fix could not be made,
            2 usage or something that cannot be read
"""


def configure(parser: ArgumentParser) -> None:
    """Add what is fixed, how far, and for which cluster."""
    from transom.cli.linting.options import add_cluster_options

    parser.epilog = _EXAMPLES
    parser.add_argument("paths", nargs="*", metavar="PATH", help="file, folder, pattern or -")
    parser.add_argument("--diff", action="store_true", help="show the changes and write nothing")
    parser.add_argument(
        "--rules", metavar="RULE[,RULE]", action="append", default=[], help="only these rules"
    )
    parser.add_argument(
        "--unsafe", action="store_true", help="also what may not be what somebody meant"
    )
    parser.add_argument("--list", action="store_true", help="show which rules have a fix")
    add_cluster_options(parser)


def run(args: Namespace) -> int:
    """Fix, say what was done, and turn it into an exit code."""
    if args.list:
        return _list()
    if not args.paths:
        raise UsageError("no file named", subject="PATH", hint="name a file, a folder or -")
    from transom.cli.linting.cluster import context_of
    from transom.cli.linting.options import settings_of
    from transom.cli.rewriting import rewrite, tell_unreadable
    from transom.workload.fix import Fixer, Left

    settings = settings_of(args)
    fixer = Fixer(
        context_of(args, settings),
        rules=_rules(args.rules),
        unsafe=args.unsafe,
        without=frozenset(settings.disable),
        ignores=settings.ignores,
        templates=settings.pod_templates,
    )
    left: list[Left] = []

    def change(name: str, data: bytes) -> bytes:
        result = fixer.fix(data, name=name)
        for fixed in result.fixed:
            _tell(fixed.finding, fixed.what)
        for still in result.left:
            _tell(still.finding, f"not fixed: {still.reason}")
        left.extend(result.left)
        return result.data

    changed, unreadable = rewrite(args.paths, change, diff=args.diff)
    tell_unreadable(unreadable)
    if unreadable:
        return UsageError.exit_code
    return int(bool(left) or (args.diff and changed > 0))


def _tell(finding: "Finding", what: str) -> None:
    place = f"{finding.file}:{finding.line}"
    print(f"{place}: {finding.rule} {finding.path}: {what}", file=sys.stderr)


def _rules(written: list[str]) -> frozenset[str]:
    from transom.workload.remedy import REMEDIES

    wanted = frozenset(rule.strip() for text in written for rule in text.split(","))
    unknown = sorted(wanted - frozenset(REMEDIES))
    if unknown:
        raise UsageError(
            f"there is no fix for {', '.join(unknown)}",
            subject="--rules",
            hint="`transom fix --list` shows which rules have one",
        )
    return wanted


def _list() -> int:
    from transom.cli.console import print_table
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
