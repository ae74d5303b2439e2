"""`transom lint`: what will not work on Windows in manifests, where, why and what to do."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from transom.cli.output import findings as output
from transom.errors import UsageError
from transom.model.finding import Finding

if TYPE_CHECKING:
    from transom.model.problem import Mistake
    from transom.model.report import Overruled, Report
    from transom.workload.baseline import Baseline
    from transom.workload.foreign import Span
    from transom.workload.ignore import Ignore
    from transom.workload.linting.gather import Gathered
    from transom.workload.linting.run import Job
    from transom.workload.linting.settings import Settings

SUMMARY = "Say what will not work on Windows in Kubernetes manifests, where, why and what to do."

_POLICY_REPORT = "policyreport"
_FORMS = (*output.FORMS, _POLICY_REPORT)

_EXAMPLES = """\
examples:
  transom lint deploy/                                  every manifest below a folder
  transom lint --kubernetes 1.30 --windows 2022 web.yaml
  transom lint charts/shop                              what helm renders of a chart
  helm template shop | transom lint -
  transom lint --cluster -n shop                        what runs there
  transom lint --cluster -o policyreport | kubectl apply -f -
  transom lint --cluster deploy/                        files, for the versions of that cluster
  transom lint deploy/ -o text -o sarif=lint.sarif      several outputs at once
  transom lint deploy/ --write-baseline baseline.json   live with what is there, see what is new
  transom lint --server                                 findings, fixes and help in an editor

To ignore a finding, give the reason: an annotation `ignore.transom.dev/WIN024: "why"` on the
object, a comment `# transom: ignore WIN024 why` on the line, or an entry in .transom.toml.

exit codes: 0 clean, 1 findings at or above --fail-on, 2 usage or something that cannot be read
"""


def configure(parser: ArgumentParser) -> None:
    """Add what is linted, for which cluster, and how it is told."""
    from transom.cli.options.workload_options import add_cluster_options, add_file_options

    parser.epilog = _EXAMPLES
    parser.add_argument("paths", nargs="*", metavar="PATH", help="file, folder, pattern or -")
    add_cluster_options(parser)
    parser.add_argument(
        "-n", "--namespace", default="", help="of live objects, with --cluster (default: all)"
    )
    told = parser.add_argument_group("what is told")
    output.add_arguments(told, forms=_FORMS)
    told.add_argument(
        "--unreadable",
        choices=[output.FAIL, output.REPORT],
        help="a manifest that cannot be read: exit code 2, or only named (default: fail)",
    )
    told.add_argument(
        "--select",
        metavar="RULE",
        action="append",
        default=[],
        help="only these: an id, the beginning of some (WIN05) or a family; repeatable",
    )
    told.add_argument(
        "--ignore",
        "--disable",
        dest="disable",
        metavar="RULE",
        action="append",
        default=[],
        help="all but these; repeatable",
    )
    told.add_argument("--list-rules", action="store_true", help="show the rules and their families")
    told.add_argument("--baseline", metavar="FILE", help="leave out what this baseline lists")
    told.add_argument("--write-baseline", metavar="FILE", help="write what is found as a baseline")
    told.add_argument(
        "--import-sarif",
        metavar="FILE",
        action="append",
        default=[],
        help="findings of another linter; mark those that are wrong for Windows pods",
    )
    add_file_options(parser)
    parser.add_argument(
        "--no-render",
        action="store_true",
        help="read the files of a chart or kustomization instead of what helm or kustomize renders",
    )
    parser.add_argument(
        "--values",
        metavar="FILE",
        action="append",
        default=[],
        help="values that helm renders a chart with; repeatable",
    )
    parser.add_argument(
        "--server",
        action="store_true",
        help="speak the Language Server Protocol on standard input and output, for editors",
    )
    parser.add_argument(
        "-j", "--jobs", type=int, default=1, metavar="N", help="processes; 0 is one per core"
    )


def run(args: Namespace) -> int:
    """Lint, report, and turn what was found into an exit code."""
    from itertools import chain

    from transom.cli.options.workload_options import files_of, job_of, settings_of
    from transom.cli.options.workload_rendering import Rendering
    from transom.workload.linting import sources
    from transom.workload.linting.run import run as lint

    _refuse_unknown({"--select": args.select, "--ignore": args.disable})
    if args.list_rules:
        return _list_rules(args)
    if args.server:
        from transom.cli.language_server import serve

        return serve(args)
    _refuse_nothing(args)
    outputs = _outputs(args)
    settings = settings_of(args)
    hidden: set[str] = set()
    rendering = Rendering(args, settings)
    args.paths, given = rendering.others, args.paths
    args.rendered = rendering.charts
    job = job_of(args, settings)._replace(
        with_lines=any(form == "text" for form, _file in outputs),
        with_spans=bool(args.import_sarif),
    )
    names, missing = files_of(args, settings, hidden)
    with _gathered(args, settings) as gathered:
        gathered.unreadable += (*missing, *rendering.mistakes)
        count = 0
        for part in chain(rendering.parts(job), lint(names, job, processes=_processes(args))):
            gathered.add(part)
            count += part.files
        if args.paths and not (count or missing or rendering.mistakes):
            print(f"note: no {', '.join(sources.SUFFIXES)} below {args.paths[0]}", file=sys.stderr)
        standing: Sequence[tuple[str, str]] = ()
        if not given:
            count = _lint_live(args, job, gathered)
            if any(form == _POLICY_REPORT for form, _file in outputs):
                standing = _standing(args)
        gathered.settle()
        _complain(args, settings, job, gathered)
        output.tell_left_out(gathered.templates, hidden)
        report = _report(args, gathered, files=count)._replace(standing=standing)
        for form, file in outputs:
            output.write_report(form, file, report)
    output.tell_unreadable(report.unreadable)
    return output.exit_code(
        report,
        args.fail_on or settings.fail_on or "error",
        on_unreadable=args.unreadable or settings.unreadable or output.FAIL,
    )


def _outputs(args: Namespace) -> list[tuple[str, str]]:
    outputs = output.parse_outputs(args.output, forms=_FORMS)
    if args.paths and any(form == _POLICY_REPORT for form, _file in outputs):
        raise UsageError(
            "a PolicyReport is about live objects",
            subject="-o policyreport",
            hint="use --cluster without a PATH; for files there are sarif, junit and json",
        )
    return outputs


def _refuse_nothing(args: Namespace) -> None:
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


def _refuse_unknown(chosen: Mapping[str, Sequence[str]]) -> None:
    from transom.workload.linting.settings import unknown_rules

    found = {option: unknown_rules(rules) for option, rules in chosen.items() if rules}
    unknown = {option: rules for option, rules in found.items() if rules}
    if unknown:
        raise UsageError(
            f"there is no rule {', '.join(rule for rules in unknown.values() for rule in rules)}",
            subject=", ".join(unknown),
            hint="`transom lint --list-rules` shows ids and families",
        )


def _list_rules(args: Namespace) -> int:
    """Show every rule that is selected, with its family and whether it has a fix."""
    from transom.cli.output.console import print_json, print_table
    from transom.documents.rules import rules_document
    from transom.workload.linting.settings import rules_without

    outputs = output.parse_outputs(args.output, forms=("text", "json"))
    if any(file for _form, file in outputs):
        raise UsageError(
            "the list of rules goes to standard output", subject="-o", hint="redirect it to a file"
        )
    document = rules_document(rules_without(args.select, args.disable))
    if outputs[-1][0] == "json":
        print_json(document)
    else:
        print_table(
            ["RULE", "FAMILY", "SEVERITY", "FIX", "KUBERNETES", "TITLE"],
            [
                [rule.id, rule.family, rule.severity, rule.fix, rule.kubernetes, rule.title]
                for rule in document.rules
            ],
        )
    return 0


def _gathered(args: Namespace, settings: "Settings") -> "Gathered":
    from transom.workload.linting.gather import Gathered

    file = args.baseline or settings.baseline
    baseline = _baseline(file) if file else None
    return Gathered(ignores=settings.ignores, baseline=baseline)


def _lint_live(args: Namespace, job: "Job", gathered: "Gathered") -> int:
    from transom.cli.options.workload_options import with_cluster
    from transom.site.live_workloads import lint_live

    return with_cluster(
        args, lambda lister: lint_live(lister, job, gathered.add, namespace=args.namespace)
    )


def _standing(args: Namespace) -> list[tuple[str, str]]:
    """The PolicyReports of before; one that may not be read may stay as it is, which is told."""
    from transom.cli.options.workload_options import with_cluster
    from transom.site.live_workloads import standing_reports

    def tell(mistake: "Mistake") -> None:
        print(f"note: {mistake.file}: {mistake.message}", file=sys.stderr)

    return with_cluster(
        args, lambda lister: standing_reports(lister, tell, namespace=args.namespace)
    )


def _complain(args: Namespace, settings: "Settings", job: "Job", gathered: "Gathered") -> None:
    """Say what is wrong with ignores and baseline, once everything was seen."""
    from transom.cli.options.workload_options import files_of

    if settings.ignores:
        from transom.workload.catalogue import known_ids

        def was_seen(ignore: "Ignore") -> bool:
            return _covers_all(args, ignore.file) or any(
                map(ignore.concerns, files_of(args, settings)[0])
            )

        gathered.add_last(gathered.complaints(known_ids(), job.active_ids(), was_seen))
    if args.write_baseline:
        _write_baseline(args.write_baseline, gathered.all_findings())
    if gathered.has_baseline:
        names, _missing = files_of(args, settings)
        gathered.add_last(gathered.stale(frozenset(names)))


def _covers_all(args: Namespace, settings_file: str) -> bool:
    """Whether everything that the settings are for is linted: their folder, or what runs."""
    import os

    above = os.path.abspath(os.path.dirname(settings_file))  # noqa: PTH100, PTH120 - as in sources
    folders = [os.path.abspath(path) for path in args.paths if os.path.isdir(path)]  # noqa: PTH100, PTH112 - same
    return not args.include and any(
        above == folder or above.startswith(f"{folder.rstrip(os.sep)}{os.sep}")
        for folder in folders
    )


def _report(args: Namespace, gathered: "Gathered", *, files: int) -> "Report":
    from transom.model.report import Report

    overruled, runs = _import(args.import_sarif, gathered.spans)
    return Report(
        gathered,
        gathered.counts,
        gathered.unreadable,
        files=files,
        ignored=gathered.ignored,
        skipped=gathered.foreign + sum(gathered.templates.values()),
        fixable=gathered.fixable,
        overruled=overruled,
        foreign_runs=runs,
    )


def _import(files: Sequence[str], spans: "Sequence[Span]") -> "tuple[list[Overruled], list[Any]]":
    if not files:
        return [], []
    from transom.cli.options.fleet_file import read_bytes
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
    from transom.cli.options.fleet_file import read_bytes
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
