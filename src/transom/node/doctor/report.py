"""Findings about hosts in words and as the document every checker prints."""

from collections.abc import Mapping, Sequence
from typing import Any

from transom.model.api_versions import written
from transom.model.codec import encode
from transom.model.finding import Finding, Severity
from transom.model.problem import Mistake

_WIDEST_EVIDENCE = 300


def document_of(
    findings: Sequence[Finding], unread: Mapping[str, str], *, hosts: int = 1
) -> dict[str, Any]:
    """The `Findings` document; `files` counts the hosts that were looked at."""
    counts = {
        severity.value: sum(finding.severity is severity for finding in findings)
        for severity in Severity
    }
    mistakes = [Mistake(why, file=what) for what, why in unread.items()]
    return {
        "apiVersion": written("Findings"),
        "kind": "Findings",
        "findings": encode(list(findings)),
        "overruled": [],
        "unreadable": encode(mistakes),
        "summary": {"files": hosts, "ignored": 0, "unreadable": len(mistakes), **counts},
    }


def exit_code(findings: Sequence[Finding]) -> int:
    """1 where something is wrong; a warning alone is no failure."""
    return int(any(finding.severity is Severity.ERROR for finding in findings))


def text_of(host: str, findings: Sequence[Finding], unread: Mapping[str, str]) -> str:
    """What a person reads about one host."""
    lines = [_title(host, findings, is_whole=not unread)]
    for number, finding in enumerate(findings, start=1):
        lines.append(f"{number}. {finding.severity.value}: {finding.message} [{finding.rule}]")
        lines += (f"   seen: {item[:_WIDEST_EVIDENCE]}" for item in finding.evidence)
        if finding.file:
            lines.append(f"   in:   {finding.file}")
        lines.append(f"   next: {finding.fix}")
        if finding.interrupts:
            lines.append(f"   interrupts: {finding.interrupts}")
    lines += (f"not looked at: {what}: {why}" for what, why in unread.items())
    return "\n".join(lines) + "\n"


def _title(host: str, findings: Sequence[Finding], *, is_whole: bool) -> str:
    if not findings:
        return f"{host}: nothing found" + ("" if is_whole else " in what could be looked at")
    return f"{host}: {len(findings)} finding{'' if len(findings) == 1 else 's'}, likeliest first"
