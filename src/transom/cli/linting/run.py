"""Files through the rules: one after the other, or spread over processes.

Called by `transom lint`. A file that cannot be read is noted and the rest goes on. What links
files, such as a Service and the pods it leads to, is settled once all were read.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from transom.cli.linting.sources import STDIN
from transom.errors import InvalidDocument
from transom.model.finding import Finding
from transom.model.problem import Mistake
from transom.spec.loader import load
from transom.workload.context import LintContext
from transom.workload.engine import Linter
from transom.workload.links import Links
from transom.workload.paths import ObjectPath

if TYPE_CHECKING:
    from transom.workload.foreign import Span
    from transom.workload.ignore import Ignore, Sieve

# Files a process is handed at once: enough to make the hand-over cheap, few enough to share out.
_CHUNK = 64

# Both forms of an ignore in a file; few files have one.
may_ignore = re.compile(rb"transom:|ignore\.transom\.dev/").search


@dataclass(frozen=True, slots=True)
class Job:
    """What every process needs to know."""

    ctx: LintContext
    without: frozenset[str] = frozenset()
    templates: Mapping[str, Sequence[ObjectPath]] = field(default_factory=dict)
    with_lines: bool = False
    with_spans: bool = False


@dataclass(slots=True)
class Outcome:
    """What came out of some files."""

    findings: list[Finding] = field(default_factory=list)
    unreadable: list[Mistake] = field(default_factory=list)
    ignores: "list[Ignore]" = field(default_factory=list)
    lines: dict[tuple[str, int], str] = field(default_factory=dict)
    links: Links = field(default_factory=Links)
    spans: "list[Span]" = field(default_factory=list)

    def add(self, other: "Outcome") -> None:
        """Take over what came out of other files."""
        self.findings += other.findings
        self.unreadable += other.unreadable
        self.ignores += other.ignores
        self.lines |= other.lines
        self.links.merge(other.links)
        self.spans += other.spans


def run(names: Sequence[str], job: Job, *, processes: int) -> Outcome:
    """Lint the files; the order of the findings is that of the files whatever the processes."""
    chunks = [names[start : start + _CHUNK] for start in range(0, len(names), _CHUNK)]
    outcome = Outcome()
    for part in _parts(chunks, job, min(processes, len(chunks))):
        outcome.add(part)
    return outcome


def _parts(chunks: Sequence[Sequence[str]], job: Job, processes: int) -> Iterator[Outcome]:
    if processes <= 1:
        linter = Linter(job.ctx, without=job.without, templates=job.templates)
        for chunk in chunks:
            yield lint_files(chunk, job, linter)
        return
    from concurrent.futures import ProcessPoolExecutor
    from functools import partial

    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(partial(_lint_chunk, job), chunks)


def _lint_chunk(job: Job, chunk: Sequence[str]) -> Outcome:
    linter = Linter(job.ctx, without=job.without, templates=job.templates)
    return lint_files(chunk, job, linter)


def lint_files(names: Iterable[str], job: Job, linter: Linter) -> Outcome:
    """Lint some files in this process."""
    outcome = Outcome()
    linter.links = outcome.links
    for name in names:
        try:
            data = _read(name)
        except OSError as error:
            hint = "Check the name and that you may read it."
            reason = error.strerror or str(error)
            outcome.unreadable.append(Mistake(f"cannot read: {reason}", hint=hint, file=name))
            continue
        _lint_data(name, data, job, linter, outcome)
    return outcome


def _read(name: str) -> bytes:
    if name == STDIN:
        return sys.stdin.buffer.read()
    with open(name, "rb") as file:  # noqa: PTH123 - a Path costs as much as reading a manifest
        return file.read()


def _lint_data(name: str, data: bytes, job: Job, linter: Linter, outcome: Outcome) -> None:
    try:
        documents = load(data, name=name)
    except InvalidDocument as error:
        outcome.unreadable += error.mistakes
        return
    before = len(outcome.links.waiting)
    findings = linter.lint(documents)
    findings.sort(key=lambda finding: (finding.line, finding.column, finding.rule))
    outcome.findings += findings
    if may_ignore(data):
        from transom.workload.ignore import annotations_in, comments_in

        outcome.ignores += annotations_in(documents)
        outcome.ignores += comments_in(data.decode(errors="replace"), file=name)
    if job.with_spans:
        from transom.workload.foreign import spans_in

        outcome.spans += spans_in(documents, job.ctx)
    if job.with_lines:
        waiting = [finding for _bond, finding in outcome.links.waiting[before:]]
        outcome.lines |= _lines(name, data, [*findings, *waiting])


def _lines(name: str, data: bytes, findings: list[Finding]) -> dict[tuple[str, int], str]:
    if not findings:
        return {}
    lines = data.decode(errors="replace").split("\n")
    return {
        (name, finding.line): lines[finding.line - 1].rstrip("\r")
        for finding in findings
        if 0 < finding.line <= len(lines)
    }


def sieve(outcome: Outcome, ignores: "Iterable[Ignore]") -> "tuple[Sieve, list[Finding], int]":
    """What stays after every ignore, how many were ignored, and the sieve to ask what is stale.

    A finding that waits for other files counts as met by its ignore even if it never came true.
    """
    from transom.workload.ignore import Sieve

    kept_by = Sieve([*outcome.ignores, *ignores])
    outcome.links.waiting = [
        entry for entry in outcome.links.waiting if not kept_by.is_ignored(entry[1])
    ]
    kept, ignored = kept_by.sift(outcome.findings)
    order = {name: number for number, name in enumerate(dict.fromkeys(f.file for f in kept))}
    kept += outcome.links.settle()
    kept.sort(key=lambda f: (order.get(f.file, len(order)), f.file, f.line, f.column, f.rule))
    return kept_by, kept, len(ignored)
