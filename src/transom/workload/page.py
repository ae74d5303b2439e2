"""The page of a rule, for people: what it flags, where it holds, an example, the remedy, the source.

Pure text.
"""

from collections.abc import Sequence
from importlib import import_module
from inspect import getdoc

from transom.facts.rows import read
from transom.facts.rules import Rule as Row
from transom.workload.rule import Rule
from transom.workload.rules import LOGIC

_SCOPES = {
    "windows": "pods for Windows",
    "os-name-windows": "pods with `os.name: windows`",
    "os-name-linux": "pods with `os.name: linux`",
    "host-process": "HostProcess pods",
    "no-host-process": "pods without HostProcess",
}


def page(rule: Rule, *, bad: Sequence[str], good: Sequence[str]) -> str:
    """The page of one rule, with its examples."""
    first = rule.rows[0]
    parts = [f"# {rule.id}: {first.title}\n", f"`{rule.name}`\n", _explanation(rule)]
    parts += map(_table, rule.rows)
    parts += ["## Does not work\n", *map(_example, bad), "## Works\n", *map(_example, good)]
    parts += ["## What to do\n", *dict.fromkeys(f"{row.fix}\n" for row in rule.rows)]
    annotation = f'`ignore.transom.dev/{rule.id}: "why"`'
    comment = f"`# transom: ignore {rule.id} why`"
    living = f"Annotate the object with {annotation}, or end the line with {comment}.\n"
    return "\n".join([*parts, "## To live with it\n", living])


def index(rules: Sequence[Rule]) -> str:
    """The page that lists all rules."""
    head = (
        "# Rules\n\n"
        "What `transom lint` knows about workloads on Windows. Generated from the facts.\n\n"
        "| rule | what | severity | by | Kubernetes |\n|---|---|---|---|---|\n"
    )
    lines = (
        f"| [{rule.id}]({rule.id}.md) | {row.title} | {row.severity} | {row.enforced_by} "
        f"| {row.kubernetes or 'all'} |\n"
        for rule in rules
        for row in rule.rows
    )
    others = (f"- {row.id}, {row.title}: {row.elsewhere}\n" for row in read(Row) if row.elsewhere)
    return "".join([head, *lines, "\nKnown, and shown by no object:\n\n", *others])


def _explanation(rule: Rule) -> str:
    module = dict(LOGIC).get(rule.id)
    if module is None:
        row = rule.rows[0]
        where = ", ".join(f"`{path}`" for path in row.paths)
        return f"Flags {where}: {row.match}.\n"
    text = getdoc(import_module(f"transom.workload.rules.{module}")) or ""
    _title, _, body = text.partition("\n\n")
    return f"{body.strip()}\n"


def _table(row: Row) -> str:
    scope = ", ".join(_SCOPES[name] for name in row.scope) or "all"
    rows = [
        ("severity", row.severity),
        ("behaviour", f"{row.behaviour}, by {row.enforced_by}"),
        ("kinds", ", ".join(row.kinds)),
        ("concerns", scope),
        ("Kubernetes", row.kubernetes or "all"),
        ("by default from", row.effective_since),
        ("enforced from", row.enforced_since),
        ("feature gate", row.gate),
        ("Windows builds", row.windows_build),
        ("without os.name", row.when_os_name_unset),
        ("note", row.note),
        ("source", f"{row.source} (checked {row.checked}, {row.confidence})"),
    ]
    lines = [f"| {name} | {_cell(value)} |" for name, value in rows if value]
    return "\n".join(["| | |", "|---|---|", *lines, ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _example(text: str) -> str:
    return f"```yaml\n{text.rstrip()}\n```\n"
