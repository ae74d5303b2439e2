"""Files through the rules: one after the other, or spread over processes.

Called by `transom lint`. A file that cannot be read is noted and the rest goes on. What links
files, such as a Service and the pods it leads to, is settled once all were read.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from transom.cli.linting.sources import STDIN
from transom.cli.linting.spool import Entry
from transom.errors import InvalidDocument
from transom.model.problem import Mistake
from transom.spec.loader import load
from transom.workload.context import LintContext
from transom.workload.engine import Linter
from transom.workload.links import Links
from transom.workload.paths import ObjectPath

if TYPE_CHECKING:
    from transom.spec.document import Document
    from transom.workload.foreign import Span

# Files a process is handed at once: enough to make the hand-over cheap, few enough to share out.
_CHUNK = 64

# Both forms of an ignore in a file; few files have one.
may_ignore = re.compile(rb"transom:|ignore\.transom\.dev/").search


class Job(NamedTuple):
    """What every process needs to know."""

    ctx: LintContext
    without: frozenset[str] = frozenset()
    templates: Mapping[str, Sequence[ObjectPath]] = {}
    with_lines: bool = False
    with_spans: bool = False

    def linter(self) -> Linter:
        """The rules of this job, ready to run."""
        return Linter(self.ctx, without=self.without, templates=self.templates)


class Part:
    """What came out of some files; `ignored` counts what somebody gave a reason for."""

    def __init__(self) -> None:
        self.files = 0
        self.entries: list[Entry] = []
        self.unreadable: list[Mistake] = []
        self.ignored = 0
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
    try:
        documents = load(data, name=name)
    except InvalidDocument as error:
        part.unreadable += _of_template(error.mistakes) if b"{{" in data else error.mistakes
        return
    lint_documents(documents, job, linter, part, data=data)


def _of_template(mistakes: Iterable[Mistake]) -> Iterator[Mistake]:
    hint = (
        "This looks like a template: lint what it renders, `helm template CHART | transom lint -`."
    )
    return (mistake._replace(hint=hint) for mistake in mistakes)


def lint_documents(
    documents: "Sequence[Document]", job: Job, linter: Linter, part: Part, *, data: bytes = b""
) -> None:
    """Lint the documents of one file, whose text is `data`, or objects that have none."""
    entries = [Entry(finding) for finding in linter.lint(documents)]
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
