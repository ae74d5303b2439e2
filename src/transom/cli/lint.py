"""`transom lint`: what will not work on Windows in manifests, where, why and what to do."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from transom.cli.findings import output
from transom.errors import UsageError
from transom.model.finding import Finding

if TYPE_CHECKING:
    from transom.cli.findings import Report
    from transom.cli.linting.gather import Gathered
    from transom.cli.linting.run import Job
    from transom.cli.linting.settings import Settings
    from transom.workload.baseline import Baseline
    from transom.workload.context import LintContext
    from transom.workload.foreign import Overruled, Span

SUMMARY = "Say what will not work on Windows in Kubernetes manifests, where, why and what to do."

_EXAMPLES = """\
examples:
  transom lint deploy/                                  every manifest below a folder
  transom lint --kubernetes 1.30 --windows 2022 web.yaml
  helm template shop | transom lint -
  transom lint --cluster -n shop                        what runs there
  transom lint --cluster deploy/                        files, for the versions of that cluster
  transom lint deploy/ -o text -o sarif=lint.sarif      several outputs at once
  transom lint deploy/ --write-baseline baseline.json   live with what is there, see what is new

To ignore a finding, give the reason: an annotation `ignore.transom.dev/WIN024: "why"` on the
object, a comment `# transom: ignore WIN024 why` on the line, or an entry in .transom.toml.

exit codes: 0 clean, 1 findings at or above --fail-on, 2 usage or something that cannot be read
"""


def configure(parser: ArgumentParser) -> None:
    """Add what is linted, for which cluster, and how it is told."""
    from transom.cli.linting.options import add_cluster_options

    parser.epilog = _EXAMPLES
    parser.add_argument("paths", nargs="*", metavar="PATH", help="file, folder, pattern or -")
    add_cluster_options(parser)
    parser.add_argument(
        "-n", "--namespace", default="", help="of live objects, with --cluster (default: all)"
    )
    told = parser.add_argument_group("what is told")
    output.add_arguments(told)
    told.add_argument("--disable", metavar="RULE", action="append", default=[])
    told.add_argument("--baseline", metavar="FILE", help="leave out what this baseline lists")
    told.add_argument("--write-baseline", metavar="FILE", help="write what is found as a baseline")
    told.add_argument(
        "--import-sarif",
        metavar="FILE",
        action="append",
        default=[],
        help="findings of another linter; mark those that are wrong for Windows pods",
    )
    parser.add_argument(
        "--exclude",
        metavar="GLOB",
        action="append",
        default=[],
        help="files and folders that are left out, such as 'charts/*/templates'; repeatable",
    )
    parser.add_argument(
        "-j", "--jobs", type=int, default=1, metavar="N", help="processes; 0 is one per core"
    )


def run(args: Namespace) -> int:
    """Lint, report, and turn what was found into an exit code."""
    from transom.cli.linting import sources
    from transom.cli.linting.cluster import context_of
    from transom.cli.linting.options import settings_of
    from transom.cli.linting.run import Job, look_ahead
    from transom.cli.linting.run import run as lint

    if not args.paths and not args.cluster:
        raise UsageError(
            "nothing to lint was named",
            subject="PATH",
            hint="name a file, a folder or -, or look at what runs with --cluster",
        )
    if args.namespace and (args.paths or not args.cluster):
        raise UsageError(
            "a namespace is of live objects only",
            subject="-n",
            hint="use --cluster without a PATH, or leave -n out",
        )
    outputs = output.parse_outputs(args.output)
    settings = settings_of(args)
    _refuse_unknown(args.disable)
    exclude = (*args.exclude, *settings.exclude)
    hidden: set[str] = set()
    ctx, patches = context_of(args, settings), frozenset[str]()
    if not _is_one_file(args.paths):
        ctx, patches = look_ahead(sources.find(args.paths, exclude=exclude)[0], ctx)
    job = Job(
        ctx,
        without=frozenset((*args.disable, *settings.disable)),
        templates=settings.pod_templates,
        with_lines=any(form == "text" for form, _file in outputs),
        with_spans=bool(args.import_sarif),
        named=frozenset(args.paths),
        patches=patches,
    )
    names, missing = sources.find(args.paths, exclude=exclude, hidden=hidden)
    with _gathered(args, settings) as gathered:
        gathered.unreadable += missing
        count = 0
        for part in lint(names, job, processes=_processes(args)):
            gathered.add(part)
            count += part.files
        if args.paths and not (count or missing):
            print(f"note: no {', '.join(sources.SUFFIXES)} below {args.paths[0]}", file=sys.stderr)
        if not args.paths:
            count = _lint_live(args, job, gathered)
        gathered.settle()
        _complain(args, settings, job.ctx, gathered)
        _tell_left_out(gathered, hidden)
        report = _report(args, gathered, files=count)
        for form, file in outputs:
            output.write_report(form, file, report)
    output.tell_unreadable(report.unreadable)
    return output.exit_code(report, args.fail_on or settings.fail_on or "error")


def _is_one_file(paths: Sequence[str]) -> bool:
    """Whether nothing can stand in another file."""
    import os

    return len(paths) <= 1 and not any(os.path.isdir(path) for path in paths)  # noqa: PTH112 - as in sources


def _tell_left_out(gathered: "Gathered", hidden: set[str]) -> None:
    """Say on standard error what was not looked at, in one line per chart and reason."""
    for chart, count in sorted(gathered.templates.items()):
        what = f"{count} template{'' if count == 1 else 's'} not read"
        print(
            f"note: {chart}: {what}; lint what is rendered: `helm template {chart} | transom lint -`",
            file=sys.stderr,
        )
    if hidden:
        shown = sorted(hidden)
        more = f" and {len(shown) - 1} more" if len(shown) > 1 else ""
        print(f"note: {shown[0]}{more}: name a folder with a dot to lint it", file=sys.stderr)


def _refuse_unknown(rules: Sequence[str]) -> None:
    from transom.cli.linting.settings import unknown_rules

    if rules and (unknown := unknown_rules(rules)):
        raise UsageError(
            f"there is no rule {', '.join(unknown)}",
            subject="--disable",
            hint="docs/rules lists them, and `transom explain` tells of each",
        )


def _gathered(args: Namespace, settings: "Settings") -> "Gathered":
    from transom.cli.linting.gather import Gathered

    file = args.baseline or settings.baseline
    baseline = _baseline(file) if file else None
    return Gathered(ignores=settings.ignores, baseline=baseline)


def _lint_live(args: Namespace, job: "Job", gathered: "Gathered") -> int:
    from transom.cli.linting.live import lint_live, with_cluster

    return with_cluster(
        args, lambda lister: lint_live(lister, job, gathered.add, namespace=args.namespace)
    )


def _complain(
    args: Namespace, settings: "Settings", ctx: "LintContext", gathered: "Gathered"
) -> None:
    """Say what is wrong with ignores and baseline, once everything was seen."""
    if settings.ignores:
        from transom.workload.catalogue import active_ids, known_ids

        gathered.add_last(gathered.complaints(known_ids(), active_ids(ctx)))
    if args.write_baseline:
        _write_baseline(args.write_baseline, gathered.all_findings())
    if gathered.has_baseline:
        from transom.cli.linting import sources

        names, _missing = sources.find(args.paths, exclude=(*args.exclude, *settings.exclude))
        gathered.add_last(gathered.stale(frozenset(names)))


def _report(args: Namespace, gathered: "Gathered", *, files: int) -> "Report":
    from transom.cli.findings import Report

    overruled, runs = _import(args.import_sarif, gathered.spans)
    return Report(
        gathered,
        gathered.counts,
        gathered.unreadable,
        files=files,
        ignored=gathered.ignored,
        skipped=gathered.foreign + sum(gathered.templates.values()),
        overruled=overruled,
        foreign_runs=runs,
    )


def _import(files: Sequence[str], spans: "Sequence[Span]") -> "tuple[list[Overruled], list[Any]]":
    if not files:
        return [], []
    from transom.cli.fleet_file import read_bytes
    from transom.workload.foreign import overrule

    overruled: list[Overruled] = []
    runs: list[Any] = []
    for file in files:
        try:
            log, found = overrule(json.loads(read_bytes(file)), spans)
        except ValueError as error:
            raise UsageError(
                f"{file} is no SARIF log", subject=file, hint="write it with `-o sarif`"
            ) from error
        overruled += found
        runs += log["runs"]
    return overruled, runs


def _baseline(file: str) -> "Baseline":
    from transom.cli.fleet_file import read_bytes
    from transom.workload.baseline import Baseline

    try:
        document = json.loads(read_bytes(file))
    except ValueError:
        document = None
    return Baseline(document, file=file)


def _write_baseline(file: str, findings: Iterable[Finding]) -> None:
    from transom.workload.baseline import document_of

    text = json.dumps(document_of(findings), ensure_ascii=False, indent=2)
    output.write_file(file, (text, "\n"))


def _processes(args: Namespace) -> int:
    wanted: int = args.jobs
    if wanted < 0:
        raise UsageError(
            f"{wanted} processes cannot be", subject="-j", hint="name how many, or 0 for all cores"
        )
    if "-" in args.paths:
        return 1
    if wanted:
        return wanted
    import os

    return os.cpu_count() or 1
