"""Files through the rules: one after the other, or spread over processes.

A file that cannot be read is noted and the rest goes on. What links files, such as a Service and
the pods it leads to, is settled once all were read.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from transom.model.problem import Mistake
from transom.workload.context import LintContext
from transom.workload.engine import Linter, with_signs
from transom.workload.links import Links
from transom.workload.linting.forms import (
    Form,
    chart_of,
    form_of,
    form_of_broken,
    kustomization_in,
    of_template,
    patches_near,
    patches_of,
)
from transom.workload.linting.sources import STDIN, matches
from transom.workload.linting.spool import Entry
from transom.workload.paths import ObjectPath
from transom.workload.pods import objects_in
from transom.yamlio.loader import load_what_is_whole

if TYPE_CHECKING:
    from transom.workload.foreign import Span
    from transom.yamlio.document import Document

# Files a process is handed at once: enough to make the hand-over cheap, few enough to share out.
_CHUNK = 64

# Both forms of an ignore in a file; few files have one.
may_ignore = re.compile(rb"transom:|ignore\.transom\.dev/").search
# What tells something about the cluster of workloads in other files; few files have it.
_may_tell = re.compile(
    rb"pod-security\.kubernetes\.io/enforce|\b(?:RuntimeClass|LimitRange)\b"
).search


class Override(NamedTuple):
    """What holds instead for the files that match absolute globs."""

    globs: tuple[str, ...]
    ctx: LintContext
    without: frozenset[str]


class Job(NamedTuple):
    """What every process needs to know; `named` are the files that somebody asked for by name.

    `patches` are those that a kustomization lays over others; the last of `overrides` that
    matches a file counts.
    """

    ctx: LintContext
    without: frozenset[str] = frozenset()
    templates: Mapping[str, Sequence[ObjectPath]] = {}
    with_lines: bool = False
    with_spans: bool = False
    named: frozenset[str] = frozenset()
    patches: frozenset[str] = frozenset()
    overrides: tuple[Override, ...] = ()

    def of_file(self, name: str) -> "Job":
        """The job as it is for one file."""
        for override in reversed(self.overrides):
            if matches(name, override.globs):
                return self._replace(ctx=override.ctx, without=override.without, overrides=())
        return self

    def active_ids(self) -> frozenset[str]:
        """The rules that are run."""
        from transom.workload.catalogue import active_ids

        return active_ids(self.ctx) - self.without

    def linter(self) -> Linter:
        """The rules of this job, ready to run."""
        return Linter(self.ctx, without=self.without, templates=self.templates)


class Part:
    """What came out of some files; `ignored` counts what somebody gave a reason for.

    `foreign` counts files that are no manifests, and `templates` those of each chart, or by
    themselves, that have to be rendered first. `rendered` are the files of templates whose output
    was linted.
    """

    def __init__(self) -> None:
        self.files = 0
        self.entries: list[Entry] = []
        self.unreadable: list[Mistake] = []
        self.ignored = 0
        self.foreign = 0
        self.templates: Counter[str] = Counter()
        self.links = Links()
        self.spans: list[Span] = []
        self.rendered: set[str] = set()


def run(names: Iterable[str], job: Job, *, processes: int) -> Iterator[Part]:
    """Lint the files; parts come in the order of the files whatever the processes.

    Only this process has the standard input: it cannot be among the names with several.
    """
    chunks = _chunks(names)
    begun = list(islice(chunks, 2))
    if processes <= 1 or len(begun) <= 1:
        linter = job.linter()
        for chunk in chain(begun, chunks):
            yield lint_files(chunk, job, linter)
        return
    from concurrent.futures import ProcessPoolExecutor
    from functools import partial

    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(partial(_lint_chunk, job), chain(begun, chunks))


def _chunks(names: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(names)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk


def _lint_chunk(job: Job, chunk: Sequence[str]) -> Part:
    return lint_files(chunk, job, job.linter())


def lint_files(names: Iterable[str], job: Job, linter: Linter) -> Part:
    """Lint some files in this process."""
    part = Part()
    linters = {(id(job.ctx), job.without): linter}
    for name in names:
        part.files += 1
        of_file = job.of_file(name) if job.overrides else job
        key = (id(of_file.ctx), of_file.without)
        if key not in linters:
            linters[key] = of_file.linter()
        try:
            data = _read(name)
        except OSError as error:
            hint = "Check the name and that you may read it."
            reason = error.strerror or str(error)
            part.unreadable.append(Mistake(f"cannot read: {reason}", hint=hint, file=name))
            continue
        _lint_data(name, data, of_file, linters[key], part)
    return part


def lint_text(name: str, data: bytes, job: Job) -> Part:
    """Lint a text as if it were what a file has."""
    part = Part()
    part.files = 1
    job = job.of_file(name)
    linter = job.linter()
    _lint_data(name, data, job, linter, part)
    return part


def _read(name: str) -> bytes:
    if name == STDIN:
        return sys.stdin.buffer.read()
    with open(name, "rb") as file:  # noqa: PTH123 - a Path costs as much as reading a manifest
        return file.read()


def _lint_data(name: str, data: bytes, job: Job, linter: Linter, part: Part) -> None:
    form = form_of(name, data)
    if form is not None:
        _leave_out(form, name, job, part)
        return
    documents, mistakes = load_what_is_whole(data, name=name)
    form = form_of_broken(data) if mistakes else None
    if form is not None and (form is Form.TEMPLATE or name not in job.named):
        _leave_out(form, name, job, part, mistakes)
    else:
        part.unreadable += mistakes
    try:
        lint_documents(documents, job, linter, part, data=data)
    except RecursionError:
        hint = "Write it with fewer levels."
        part.unreadable.append(Mistake("the document is nested too deep", hint=hint, file=name))


def _leave_out(
    form: Form, name: str, job: Job, part: Part, mistakes: Sequence[Mistake] = ()
) -> None:
    """Count what is no manifest; a template that somebody named is a mistake."""
    if form is not Form.TEMPLATE:
        part.foreign += 1
    elif name in job.named:
        part.unreadable.append(of_template(name, mistakes))
    else:
        part.templates[chart_of(name)] += 1


def survey(
    paths: Sequence[str], names: Callable[[], Iterable[str]], ctx: LintContext
) -> tuple[LintContext, frozenset[str]]:
    """What has to be known before the first file is judged; one file has no others to look at."""
    patches = patches_near([path for path in paths if os.path.isfile(path)])  # noqa: PTH113 - same
    if len(paths) <= 1 and not any(os.path.isdir(path) for path in paths):  # noqa: PTH112 - same
        return ctx, patches
    ctx, found = look_ahead(names(), ctx)
    return ctx, patches | found


def look_ahead(names: Iterable[str], ctx: LintContext) -> tuple[LintContext, frozenset[str]]:
    """What stands in any of the files and counts for all: classes and levels, and which are patches.

    Only files that may have it are parsed; what cannot be read is told when it is linted.
    """
    patches: set[str] = set()
    folders: set[str] = set()
    for name in names:
        if name == STDIN:
            continue
        folder = os.path.dirname(name)  # noqa: PTH120 - a Path costs as much as reading a manifest
        while folder not in folders:  # a kustomization may lie above all manifests it names
            folders.add(folder)
            patches.update(patches_of(kustomization_in(folder)))
            folder = os.path.dirname(folder)  # noqa: PTH120 - same
        try:
            data = _read(name)
        except OSError:
            continue
        if _may_tell(data):
            documents, _mistakes = load_what_is_whole(data, name=name)
            ctx = with_signs(ctx, [view for item in documents for view in objects_in(item.value)])
    return ctx, frozenset(patches)


def lint_documents(
    documents: "Sequence[Document]", job: Job, linter: Linter, part: Part, *, data: bytes = b""
) -> None:
    """Lint the documents of one file, whose text is `data`, or objects that have none."""
    are_patches = bool(documents) and documents[0].name in job.patches
    entries = [
        Entry(finding) for finding in linter.lint(documents, part.links, are_patches=are_patches)
    ]
    entries += (Entry(finding, bond=bond) for bond, finding in part.links.take_waiting())
    if not data or may_ignore(data):
        entries = _sift(entries, documents, data, job, part)
    entries.sort(key=lambda entry: (entry.finding.line, entry.finding.column, entry.finding.rule))
    if job.with_spans:
        from transom.workload.foreign import spans_in

        part.spans += spans_in(documents, job.ctx, job.templates)
    part.entries += _with_lines(entries, data) if job.with_lines and data else entries


def _sift(
    entries: list[Entry], documents: "Sequence[Document]", data: bytes, job: Job, part: Part
) -> list[Entry]:
    """What the file's own ignores leave, and what is wrong with those.

    A finding that waits for other files counts as met by its ignore even if it never comes true.
    """
    from transom.workload.catalogue import known_ids
    from transom.workload.ignore import Sieve, annotations_in, comments_in

    name = documents[0].name if documents else ""
    comments = comments_in(data.decode(errors="replace"), file=name)
    ignores = [*annotations_in(documents, job.templates), *comments]
    if not ignores:
        return entries
    sieve = Sieve(ignores)
    kept = [entry for entry in entries if not sieve.is_ignored(entry.finding)]
    part.ignored += sum(entry.bond is None for entry in entries)
    part.ignored -= sum(entry.bond is None for entry in kept)
    return kept + [Entry(found) for found in sieve.complaints(known_ids(), job.active_ids())]


def _with_lines(entries: list[Entry], data: bytes) -> list[Entry]:
    if not entries:
        return entries
    lines = data.decode(errors="replace").split("\n")
    return [
        entry._replace(source=lines[entry.finding.line - 1].rstrip("\r"))
        if 0 < entry.finding.line <= len(lines)
        else entry
        for entry in entries
    ]
