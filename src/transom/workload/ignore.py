"""Findings that somebody has decided to live with, each with a reason, and ignores gone stale.

An ignore is an annotation of the object, a comment on the line, an entry of the configuration by
path, or an entry of a baseline. Admission knows annotations only.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from transom.model.finding import Finding, Severity
from transom.workload.paths import ObjectPath
from transom.workload.pods import ObjectView, mapping, objects_in, pods_in
from transom.yamlio.document import Document

ANNOTATION = "ignore.transom.dev/"
STALE = "LINT001"
WITHOUT_REASON = "LINT002"
UNKNOWN_RULE = "LINT003"

_COMMENT = re.compile(r"#\s*transom:\s*ignore\s+([A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*)[ \t:]*([^\r\n]*)")


class Ignore(NamedTuple):
    """One decision: the rule, why, where it is written, and what it covers.

    Covered is the object `(kind, namespace, name)`, or the line, or files by absolute globs.
    """

    rule: str
    reason: str
    file: str
    line: int
    column: int
    target: tuple[str, str, str] | None = None
    path: str = ""
    on_line: bool = False
    globs: tuple[str, ...] = ()

    def covers(self, finding: Finding) -> bool:
        """Whether the finding is meant."""
        if finding.rule != self.rule or not self.reason:
            return False
        if self.globs:
            return self.concerns(finding.file)
        if finding.file != self.file:
            return False
        if self.on_line:
            return finding.line == self.line
        return self.target == (finding.kind, finding.namespace, finding.name)

    def concerns(self, file: str) -> bool:
        """Whether a file is one of those that its globs mean."""
        return any(fnmatchcase(absolute(file), glob) for glob in self.globs)


def absolute(name: str) -> str:
    """A file's name from the root on, with forward slashes."""
    return os.path.abspath(name).replace(os.sep, "/")  # noqa: PTH100 - no file is meant yet


def annotations_in(
    documents: Iterable[Document], templates: Mapping[str, Sequence[ObjectPath]] | None = None
) -> Iterator[Ignore]:
    """The ignores that objects carry themselves, in their metadata or in that of their pod."""
    for document in documents:
        for view in objects_in(document.value):
            yield from _of_metadata(document, view, view.metadata, view.path)
            if view.kind != "Pod":
                for pod in pods_in(view, templates):
                    yield from _of_metadata(document, view, pod.metadata, pod.path)


def comments_in(text: str, *, file: str) -> Iterator[Ignore]:
    """The ignores in comments: `# transom: ignore WIN024 why`, for the line they stand on."""
    for number, line in enumerate(text.split("\n"), start=1):
        for match in _COMMENT.finditer(line):
            for rule in match[1].split(","):
                yield Ignore(
                    rule.strip(),
                    match[2].strip(),
                    file,
                    number,
                    match.start() + 1,
                    on_line=True,
                )


class Sieve:
    """The ignores of a run, and which of them were of use."""

    def __init__(self, ignores: Iterable[Ignore]) -> None:
        self._by_rule: dict[str, list[Ignore]] = {}
        for ignore in ignores:
            self._by_rule.setdefault(ignore.rule, []).append(ignore)
        self._used: set[Ignore] = set()

    def is_ignored(self, finding: Finding) -> bool:
        """Whether some ignore covers it; that ignore is then not stale."""
        covering = [
            ignore for ignore in self._by_rule.get(finding.rule, ()) if ignore.covers(finding)
        ]
        self._used.update(covering)
        return bool(covering)

    def sift(self, findings: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
        """Part findings into those that stay and those that are ignored."""
        kept: list[Finding] = []
        ignored: list[Finding] = []
        for finding in findings:
            (ignored if self.is_ignored(finding) else kept).append(finding)
        return kept, ignored

    def complaints(
        self,
        known: frozenset[str],
        active: frozenset[str],
        was_seen: Callable[[Ignore], bool] = lambda _ignore: True,
    ) -> Iterator[Finding]:
        """What is wrong with the ignores themselves.

        An ignore of a rule that does not hold for this version may be of use for another, and one
        of files that were not looked at for those.
        """
        for ignores in self._by_rule.values():
            for ignore in ignores:
                if ignore.rule not in known:
                    yield _complaint(ignore, UNKNOWN_RULE)
                elif not ignore.reason:
                    yield _complaint(ignore, WITHOUT_REASON)
                elif ignore not in self._used and ignore.rule in active and was_seen(ignore):
                    yield _complaint(ignore, STALE)


_COMPLAINTS = {
    STALE: ("the ignore of {rule} is stale: there is nothing left to ignore", "Remove it."),
    WITHOUT_REASON: ("the ignore of {rule} has no reason and is not followed", "Say why."),
    UNKNOWN_RULE: ("there is no rule {rule} to ignore", "Correct the rule's id, or remove it."),
}


def _complaint(ignore: Ignore, rule: str) -> Finding:
    message, fix = _COMPLAINTS[rule]
    kind, namespace, name = ignore.target or ("", "", "")
    return Finding(
        rule=rule,
        severity=Severity.WARNING,
        file=ignore.file,
        line=ignore.line,
        column=ignore.column,
        kind=kind,
        namespace=namespace,
        name=name,
        path=ignore.path,
        message=message.format(rule=ignore.rule),
        fix=fix,
        source="",
    )


def _of_metadata(
    document: Document, view: ObjectView, metadata: object, path: Sequence[str | int]
) -> Iterator[Ignore]:
    annotations = mapping(mapping(metadata).get("annotations"))
    for key, reason in annotations.items():
        if not key.startswith(ANNOTATION):
            continue
        place = document.locate((*path, "metadata", "annotations", key), key=True)
        yield Ignore(
            key.removeprefix(ANNOTATION),
            str(reason or "").strip(),
            document.name,
            place.line,
            place.column,
            target=(view.kind, view.namespace, view.name),
            path=f"metadata.annotations['{key}']",
        )
