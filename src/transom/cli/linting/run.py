"""Files through the rules: one after the other, or spread over processes.

Called by `transom lint`. A file that cannot be read is noted and the rest goes on. What links
files, such as a Service and the pods it leads to, is settled once all were read.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from transom.cli.linting.sources import STDIN
from transom.cli.linting.spool import Entry
from transom.model.problem import Mistake
from transom.spec.loader import load_what_is_whole
from transom.workload.context import LintContext
from transom.workload.engine import Linter, with_signs
from transom.workload.links import Links
from transom.workload.paths import ObjectPath
from transom.workload.pods import mapping, objects_in, sequence

if TYPE_CHECKING:
    from transom.spec.document import Document
    from transom.workload.foreign import Span

# Files a process is handed at once: enough to make the hand-over cheap, few enough to share out.
_CHUNK = 64

# Both forms of an ignore in a file; few files have one.
may_ignore = re.compile(rb"transom:|ignore\.transom\.dev/").search
# What every manifest has; a file that cannot be read and lacks one of them is meant for somebody else.
_has_version = re.compile(rb"apiVersion[\"']?\s*:").search
_has_kind = re.compile(rb"\bkind[\"']?\s*:").search
# What tells something about the cluster of workloads in other files; few files have it.
_may_tell = re.compile(rb"pod-security\.kubernetes\.io/enforce|\bRuntimeClass\b").search
_TEMPLATE = b"{{"
_TEMPLATES, _CHART = "templates", "Chart.yaml"
_KUSTOMIZATION = "kustomization."


class Job(NamedTuple):
    """What every process needs to know; `named` are the files that somebody asked for by name.

    `patches` are those that a kustomization lays over others.
    """

    ctx: LintContext
    without: frozenset[str] = frozenset()
    templates: Mapping[str, Sequence[ObjectPath]] = {}
    with_lines: bool = False
    with_spans: bool = False
    named: frozenset[str] = frozenset()
    patches: frozenset[str] = frozenset()

    def linter(self) -> Linter:
        """The rules of this job, ready to run."""
        return Linter(self.ctx, without=self.without, templates=self.templates)


class Part:
    """What came out of some files; `ignored` counts what somebody gave a reason for.

    `foreign` counts files that are no manifests, and `templates` those of each chart, or by
    themselves, that have to be rendered first.
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
    linter.links = part.links
    for name in names:
        part.files += 1
        try:
            data = _read(name)
        except OSError as error:
            hint = "Check the name and that you may read it."
            reason = error.strerror or str(error)
            part.unreadable.append(Mistake(f"cannot read: {reason}", hint=hint, file=name))
            continue
        _lint_data(name, data, job, linter, part)
    return part


def _read(name: str) -> bytes:
    if name == STDIN:
        return sys.stdin.buffer.read()
    with open(name, "rb") as file:  # noqa: PTH123 - a Path costs as much as reading a manifest
        return file.read()


def _lint_data(name: str, data: bytes, job: Job, linter: Linter, part: Part) -> None:
    documents, mistakes = load_what_is_whole(data, name=name)
    if mistakes and name in job.named:
        part.unreadable += _of_template(mistakes[:1]) if _TEMPLATE in data else mistakes
    elif mistakes and _TEMPLATE in data:
        part.templates[_chart_of(name)] += 1
    elif mistakes and not (_has_version(data) and _has_kind(data)):
        part.foreign += 1
    else:
        part.unreadable += mistakes
    try:
        lint_documents(documents, job, linter, part, data=data)
    except RecursionError:
        hint = "Write it with fewer levels."
        part.unreadable.append(Mistake("the document is nested too deep", hint=hint, file=name))


def _of_template(mistakes: Iterable[Mistake]) -> Iterator[Mistake]:
    hint = (
        "This looks like a template: lint what it renders, `helm template CHART | transom lint -`."
    )
    return (mistake._replace(hint=hint) for mistake in mistakes)


def _chart_of(name: str) -> str:
    """The folder of the chart that a template belongs to, or the template itself."""
    folder = os.path.dirname(name)  # noqa: PTH120 - a Path costs as much as reading a manifest
    while folder:
        above, last = os.path.split(folder)
        if last == _TEMPLATES and os.path.isfile(os.path.join(above, _CHART)):  # noqa: PTH113, PTH118 - same
            return above or "."
        if above == folder:
            break
        folder = above
    return name


def look_ahead(names: Iterable[str], ctx: LintContext) -> tuple[LintContext, frozenset[str]]:
    """What stands in any of the files and counts for all: classes and levels, and which are patches.

    Only files that may have it are parsed; what cannot be read is told when it is linted.
    """
    patches: set[str] = set()
    for name in names:
        if name == STDIN:
            continue
        is_kustomization = os.path.basename(name).startswith(_KUSTOMIZATION)  # noqa: PTH119 - same
        try:
            data = _read(name)
        except OSError:
            continue
        if not is_kustomization and not _may_tell(data):
            continue
        documents, _mistakes = load_what_is_whole(data, name=name)
        ctx = with_signs(ctx, [view for item in documents for view in objects_in(item.value)])
        if is_kustomization:
            patches.update(_patches_of(name, documents))
    return ctx, frozenset(patches)


def _patches_of(name: str, documents: "Sequence[Document]") -> Iterator[str]:
    folder = os.path.dirname(name)  # noqa: PTH120 - same
    for document in documents:
        for key in ("patches", "patchesStrategicMerge", "patchesJson6902"):
            for entry in sequence(mapping(document.value).get(key)):
                path = mapping(entry).get("path") if isinstance(entry, dict) else entry
                if isinstance(path, str) and "\n" not in path:
                    yield os.path.normpath(os.path.join(folder, path))  # noqa: PTH118 - same


def lint_documents(
    documents: "Sequence[Document]", job: Job, linter: Linter, part: Part, *, data: bytes = b""
) -> None:
    """Lint the documents of one file, whose text is `data`, or objects that have none."""
    are_patches = bool(documents) and documents[0].name in job.patches
    entries = [Entry(finding) for finding in linter.lint(documents, are_patches=are_patches)]
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
    from transom.workload.catalogue import active_ids, known_ids
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
    return kept + [Entry(found) for found in sieve.complaints(known_ids(), active_ids(job.ctx))]


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
