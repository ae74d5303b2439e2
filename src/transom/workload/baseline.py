"""A baseline: the findings of the day a team began, so that only new ones count.

Written and read by the command line as a document. An entry is known by rule, file, object and
path, not by line, so that edits elsewhere do not revive it.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from transom.errors import UsageError
from transom.model.api_versions import UnknownVersionError, check, written
from transom.model.finding import Finding, Severity
from transom.workload.ignore import STALE

KIND = "Baseline"
_FIELDS = ("rule", "file", "kind", "namespace", "name", "path")

Key = tuple[str, ...]


def key_of(finding: Finding) -> Key:
    """What a finding is known by."""
    return tuple(str(getattr(finding, field)) for field in _FIELDS)


def document_of(findings: Iterable[Finding]) -> dict[str, Any]:
    """The baseline of these findings."""
    keys = sorted({key_of(finding) for finding in findings})
    entries = [dict(zip(_FIELDS, key, strict=True)) for key in keys]
    return {"apiVersion": written(KIND), "kind": KIND, "findings": entries}


class Baseline:
    """The entries of a baseline, and which of them still occur."""

    def __init__(self, document: Any, *, file: str) -> None:
        if not isinstance(document, dict) or document.get("kind") != KIND:
            raise UsageError(
                f"{file} is no baseline",
                subject=file,
                hint="write one with `transom lint PATH... --write-baseline FILE`",
            )
        try:
            check(KIND, document)
        except UnknownVersionError as error:
            raise UsageError(f"{file} {error}", subject=file) from error
        self._file = file
        entries = document.get("findings")
        self._keys = {
            tuple(str(entry.get(field, "")) for field in _FIELDS)
            for entry in (entries if isinstance(entries, list) else ())
            if isinstance(entry, dict)
        }
        self._met: set[Key] = set()

    def is_known(self, finding: Finding) -> bool:
        """Whether the finding was there already."""
        key = key_of(finding)
        if key in self._keys:
            self._met.add(key)
            return True
        return False

    def stale(self, files: frozenset[str]) -> Iterator[Finding]:
        """A finding for each entry about these files that occurs no more."""
        for key in sorted(self._keys - self._met):
            entry = dict(zip(_FIELDS, key, strict=True))
            if entry["file"] in files:
                yield Finding(
                    rule=STALE,
                    severity=Severity.WARNING,
                    file=self._file,
                    line=1,
                    column=1,
                    kind=entry["kind"],
                    namespace=entry["namespace"],
                    name=entry["name"],
                    path=entry["path"],
                    message=f"{entry['rule']} in {entry['file']} is gone and still in the baseline",
                    fix="Write the baseline anew with --write-baseline.",
                    source="",
                )
