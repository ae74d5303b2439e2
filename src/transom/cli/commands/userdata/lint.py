"""`transom userdata lint`: boot data through the eyes of cloudbase-init."""

from argparse import ArgumentParser, Namespace
from collections import Counter
from typing import TYPE_CHECKING

from transom.cli.commands.userdata import source
from transom.cli.output import console
from transom.cli.output import findings as output
from transom.errors import UsageError
from transom.model.finding import Finding, Severity
from transom.model.report import Report, Shown

if TYPE_CHECKING:
    from transom.bootstrap.lint import Linted
    from transom.bootstrap.story import Act

SUMMARY = "Say what cloudbase-init will execute, in order, what it ignores, and what will go wrong."

_EXAMPLES = """\
examples:
  transom userdata lint user-data.yaml --platform azure
  transom userdata lint secret/shop-md-0-abcde -n clusters
  kubectl get secret shop-md-0-abcde -o yaml | transom userdata lint -
  transom userdata lint user-data.yaml --explain              the execution, as a numbered story
  transom userdata lint user-data.yaml --explain -o json

Secrets are told by their hash and never printed. Nothing in the document is executed.
exit codes: 0 clean, 1 findings at or above --fail-on, 2 usage or something that cannot be read
"""
_LINES = 6


def configure(parser: ArgumentParser) -> None:
    """Add what is linted, for which machine, and how it is told."""
    parser.epilog = _EXAMPLES
    source.add_arguments(parser)
    source.add_machine_arguments(parser)
    parser.add_argument(
        "--explain", action="store_true", help="tell what is executed, step by step"
    )
    output.add_arguments(parser)


def run(args: Namespace) -> int:
    """Lint, report, and turn what was found into an exit code."""
    from transom.bootstrap.lint import lint

    outputs = output.parse_outputs(args.output)
    if args.explain and [form for form, _file in outputs] not in (["text"], ["json"]):
        raise UsageError(
            "a story is told as text or as json", subject="--explain", hint="give one -o, or none"
        )
    found = source.read(args.source, args)
    linted = lint(found.data, source.machine_of(args), found.origin)
    report = _report(linted.findings, found.data, with_lines=outputs[0][0] == "text")
    for form, file in outputs:
        if args.explain and form == "json":
            _print_story(linted, found.origin.file, file)
            continue
        if args.explain:
            _tell(linted)
        output.write_report(form, file, report)
    return output.exit_code(report, args.fail_on or "error")


def _report(findings: tuple[Finding, ...], data: bytes, *, with_lines: bool) -> Report:
    counts = Counter(finding.severity for finding in findings)
    lines = data.decode(errors="replace").split("\n") if with_lines else []
    return Report(
        [Shown(finding, _line(finding, lines)) for finding in findings],
        {severity: counts[severity] for severity in Severity},
        files=1,
        tool="transom userdata lint",
    )


def _line(finding: Finding, lines: list[str]) -> str | None:
    """The line a finding is in, without secrets in it; none where it is no text."""
    if not 0 < finding.line <= len(lines):
        return None
    text = lines[finding.line - 1].rstrip("\r")
    return source.hidden(text) if text.replace("\t", "").isprintable() else None


def _print_story(linted: "Linted", name: str, file: str) -> None:
    import json

    from transom.documents.boot import BootStory
    from transom.facts.cloudbaseinit import ProgramVersion
    from transom.facts.rows import At, one
    from transom.model.codec import encode

    story = linted.story
    document = BootStory(
        file=name,
        program=one(ProgramVersion, "cloudbase-init", At()).version,
        story=story.acts,
        outcome=story.outcome,
        reboot=story.reboot,
        again=story.again,
        findings=linted.findings,
    )
    if file:
        output.write_file(file, (json.dumps(encode(document), ensure_ascii=False, indent=2), "\n"))
    else:
        console.print_json(document)


def _tell(linted: "Linted") -> None:
    """Print the story for people."""
    story = linted.story
    if not story.acts:
        print("cloudbase-init executes nothing of this")
    for act in story.acts:
        print(f"{act.order}. {_sentence(act)}")
        for line in _script_of(act):
            print(f"     {line}")
    print(f"\nthen it reports: {story.outcome.value}{_after(story.reboot, again=story.again)}\n")


def _after(reboot: bool, *, again: bool) -> str:  # noqa: FBT001 - a claim beside its neighbour
    words = []
    if reboot:
        words.append("the machine restarts")
    if again:
        words.append("all of it runs again at the next boot")
    return f"; {', and '.join(words)}" if words else ""


def _sentence(act: "Act") -> str:
    detail = act.detail
    if act.action in ("write", "append"):
        mode = f", mode {detail['mode']:04o}" if "mode" in detail else ""
        verb = "append to" if act.action == "append" else "write"
        return f"{verb} {act.subject}{mode} (sha256 {detail['sha256'][:12]}...)"
    if act.action == "run":
        return f"run by {act.subject}:"
    if act.action == "user":
        groups = f" in {', '.join(map(str, detail['groups']))}" if detail["groups"] else ""
        keys = f" and {len(detail['keys'])} SSH keys" if detail.get("keys") else ""
        return f"make the user {act.subject}{groups} with a {detail['password']} password{keys}"
    if act.action == "group":
        members = f" with {', '.join(detail['members'])}" if detail["members"] else ""
        return f"make the group {act.subject}{members}"
    names = {
        "hostname": "name the computer",
        "timezone": "set the time zone",
        "ntp": "set time from",
    }
    return f"{names[act.action]} {act.subject}"


def _script_of(act: "Act") -> list[str]:
    """The beginning of a script."""
    if act.action != "run":
        return []
    lines = [line for line in act.detail["script"].splitlines() if line.strip()]
    more = [f"... {len(lines) - _LINES} more lines"] if len(lines) > _LINES else []
    return lines[:_LINES] + more
