"""The page about the API on Windows: field by field what differs, since when, and what to do.

It is written to docs/api-differences.md. Everything but the order and
the short introductions comes from the rules; a rule that is in no section is a mistake.
"""

from collections.abc import Mapping, Sequence

from transom.facts.rows import read
from transom.facts.rules import Rule as Row
from transom.workload.families import SECTIONS, Section
from transom.workload.remedy import REMEDIES, safety

_BEHAVIOURS = {
    "deprecated": "deprecated",
    "fails": "fails",
    "ignored": "has no effect",
    "recommended": "recommended",
    "rejected": "refused",
    "required": "needed",
    "unsupported": "not supported",
    "unverified": "not verified",
}
_JUDGES = {
    "apiserver": "the API server",
    "kubelet": "the kubelet",
    "kube-proxy": "kube-proxy",
    "kubeadm": "kubeadm",
    "pod-security": "Pod Security admission",
    "runtime": "the runtime",
    "scheduler": "the scheduler",
}
_FIXES = {"yes": "`transom fix`", "no": "`transom fix --unsafe`", "depends": "`transom fix`"}

_HEAD = """\
# The Kubernetes API on Windows

What is different for pods on Windows nodes, API by API: what happens, since which Kubernetes minor,
and what to do. Lines with a link are checked by `transom lint`; the others only a request or a
running node can offend. What the API server is said to refuse is tested against a real one.

<!-- generated from the rules by tools/generate.py; edit nothing -->
"""


def differences(examples: Mapping[str, str], *, pages: frozenset[str]) -> str:
    """The page; `examples` are the texts of example files, `pages` the rules that have a page."""
    parts = [_HEAD]
    for section in SECTIONS:
        parts.append(f"## {section.title}\n\n{section.text}\n")
        parts.append(_table(section, pages))
        if section.example:
            parts.append(f"```yaml\n{examples[section.example].rstrip()}\n```\n")
    return "\n".join(parts)


def _table(section: Section, pages: frozenset[str]) -> str:
    lines = ["| API | on Windows | since | what to do |", "|---|---|---|---|"]
    lines += (_line(row, pages) for rule in section.rules for row in read(Row) if row.id == rule)
    return "\n".join([*lines, ""])


def _line(row: Row, pages: frozenset[str]) -> str:
    name = f"[{row.id}](rules/{row.id}.md)" if row.id in pages else row.id
    remedy = REMEDIES.get(row.id)
    fix = f" ({_FIXES[safety(remedy)]})" if remedy is not None else ""
    cells = (f"{_apis(row)}<br>{name}", _what(row), _since(row), f"{row.fix}{fix}")
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def _apis(row: Row) -> str:
    """The fields, those of init and ephemeral containers left out where containers are named."""
    paths: Sequence[str] = row.paths
    if any(".containers[*]" in path for path in paths):
        paths = [path for path in paths if "nitContainers" not in path and "ephemeralC" not in path]
    return f"{', '.join(row.kinds)}: {', '.join(f'`{path}`' for path in paths)}"


def _what(row: Row) -> str:
    by = f" by {_JUDGES[row.enforced_by]}" if row.enforced_by in _JUDGES else ""
    happens = row.effect or _BEHAVIOURS[row.behaviour]
    text = f"{row.title}: {happens}{by if row.behaviour == 'rejected' else ''}"
    if row.when_os_name_unset and row.when_os_name_unset != row.behaviour:
        text += f"; without os.name {_BEHAVIOURS[row.when_os_name_unset]}"
    return text


def _since(row: Row) -> str:
    since = row.effective_since or (f"with gate {row.gate}" if row.gate else "always")
    if row.enforced_since:
        since += f", enforced from {row.enforced_since}"
    until = row.kubernetes.partition("<")[2]
    return f"{since}, until {until}" if until else since
