"""`transom userdata compile --from-secret`: an existing document made safe, and what that changed."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from difflib import unified_diff
from typing import TYPE_CHECKING

from transom.cli.commands.userdata import source
from transom.cli.output.private_file import write_private
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.bootstrap.safe.rewrite import Rewritten
    from transom.model.finding import Finding


def run(args: Namespace) -> int:
    """Rewrite, write, show the differences, and say what is still wrong."""
    from transom.bootstrap.lint import Origin, lint
    from transom.bootstrap.safe.rewrite import rewrite
    from transom.model.finding import Severity

    if args.format != "cloud-config":
        raise UsageError(
            "a document is rewritten as a cloud-config",
            subject="--format",
            hint="leave it out: in MIME cloudbase-init would not render the template",
        )
    found = source.read(args.from_secret, args)
    machine = source.machine_of(args)
    rewritten = rewrite(found.data, machine)
    findings = lint(rewritten.data, machine, Origin(args.out)).findings
    if args.out == "-":
        sys.stdout.buffer.write(rewritten.data)
        sys.stdout.buffer.flush()
    else:
        write_private(args.out, rewritten.data)
    report = "\n".join(_report(found.origin.file, args.out, rewritten, findings))
    print(report, file=sys.stderr if args.out == "-" else sys.stdout)
    return int(any(finding.severity is Severity.ERROR for finding in findings))


def _report(
    file: str, out: str, rewritten: "Rewritten", findings: "tuple[Finding, ...]"
) -> Iterator[str]:
    changes = rewritten.changes
    if not changes:
        yield f"{file}: nothing to change"
    else:
        yield f"{file}: {len(changes)} change{'s' if len(changes) != 1 else ''}"
        for change in changes:
            yield f"  {change.trap}  {change.what}"
        before, after = rewritten.before.splitlines(), rewritten.data.decode().splitlines()
        name = "rewritten" if out == "-" else out
        for line in unified_diff(before, after, file, name, lineterm=""):
            yield source.hidden(line)
    for finding in findings:
        yield f"still there: {finding.severity.value} {finding.rule}: {finding.message}"
        yield f"  next:  {finding.fix}"
