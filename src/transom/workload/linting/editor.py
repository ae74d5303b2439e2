"""A manifest while it is edited: what is wrong in its text, and the edits that end it.

Reads the files around it, but not the file itself: the editor has the newer text.
"""

import os
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import NamedTuple

from transom.errors import InvalidDocument
from transom.model.finding import Finding
from transom.model.problem import Mistake
from transom.workload.fix import Fixer
from transom.workload.ignore import Ignore
from transom.workload.linting.gather import Gathered
from transom.workload.linting.run import Job, Part, lint_files, lint_text, look_ahead
from transom.workload.linting.sources import find
from transom.workload.remedy import REMEDIES, safety

# Around a file at the top of a large repository only the first so many are looked at, each up to a size.
_MOST = 500
_LARGEST = 1024 * 1024


class Around(NamedTuple):
    """A job that knows what other files tell about the cluster, and a part with their links alone."""

    job: Job
    links: Part


class Neighbours:
    """What the files in the folder of one, and below, say about it; read again once one changes."""

    def __init__(self) -> None:
        self._key: tuple[object, ...] = ()
        self._last: Around | None = None

    def around(self, name: str, job: Job) -> Around:
        """Look at the files around one."""
        names, _missing = find([os.path.dirname(name) or "."])  # noqa: PTH120 - as in sources
        stamps = [
            (other, *stamp)
            for other in islice(names, _MOST)
            if not _is_same(other, name) and (stamp := _stamp(other)) is not None
        ]
        key = (name, job, stamps)
        if self._last is None or key != self._key:
            self._key = key
            self._last = _around([other for other, *_stamp in stamps], job)
        return self._last


def _around(names: Sequence[str], job: Job) -> Around:
    ctx, patches = look_ahead(names, job.ctx)
    overrides = tuple(item._replace(ctx=item.ctx.beside(ctx)) for item in job.overrides)
    job = job._replace(ctx=ctx, overrides=overrides, patches=job.patches | patches)
    links = Part()
    links.links = lint_files(names, job, job.linter()).links
    return Around(job, links)


def _is_same(left: str, right: str) -> bool:
    return os.path.abspath(left) == os.path.abspath(right)  # noqa: PTH100 - as in sources


def _stamp(name: str) -> tuple[int, int] | None:
    """What changes with a file; None where it is not there or too large to be read at each change."""
    try:
        found = os.stat(name)  # noqa: PTH116 - same
    except OSError:
        return None
    return None if found.st_size > _LARGEST else (found.st_mtime_ns, found.st_size)


class LineEdit(NamedTuple):
    """Lines from `start` up to `end`, counted from zero, and what comes in their place."""

    start: int
    end: int
    text: str


class QuickFix(NamedTuple):
    """A change that a person can choose; `is_safe` where nothing that was meant is lost."""

    rule: str
    title: str
    edits: tuple[LineEdit, ...]
    is_safe: bool


def check(
    text: str, name: str, around: Around, ignores: Sequence[Ignore] = ()
) -> tuple[list[Finding], list[Mistake]]:
    """What is wrong in a text among the files around it, and why it cannot be read."""
    part = lint_text(name, text.encode(), around.job)
    with Gathered(ignores=ignores, baseline=None) as gathered:
        gathered.add(part)
        gathered.add(around.links)
        gathered.settle()
        return [shown.finding for shown in gathered], list(gathered.unreadable)


def quick_fixes(
    text: str, name: str, job: Job, rules: Sequence[str], ignores: Sequence[Ignore] = ()
) -> Iterator[QuickFix]:
    """The fixes of these rules, safe or not, each for the whole file; those that do nothing are left out."""
    for rule in dict.fromkeys(rules):
        remedy = REMEDIES.get(rule)
        if remedy is None:
            continue
        for unsafe in (False, True):
            edits = edits_of(text, name, job, frozenset({rule}), unsafe=unsafe, ignores=ignores)
            if edits:
                doubt = " (may not be what was meant)" if unsafe else ""
                yield QuickFix(rule, f"{rule}: {remedy.what}{doubt}", edits, is_safe=not unsafe)
                break
            if safety(remedy) == "yes":
                break


def edits_of(
    text: str,
    name: str,
    job: Job,
    rules: frozenset[str] = frozenset(),
    *,
    unsafe: bool = False,
    ignores: Sequence[Ignore] = (),
) -> tuple[LineEdit, ...]:
    """The edits that `transom fix` would make; none of a text that cannot be read."""
    job = job.of_file(name)
    fixer = Fixer(
        job.ctx,
        rules=rules,
        unsafe=unsafe,
        without=job.without,
        ignores=ignores,
        templates=job.templates,
        patches=job.patches,
    )
    try:
        after = fixer.fix(text.encode(), name=name).data.decode()
    except InvalidDocument:
        return ()
    return tuple(_line_edits(_lines(text), _lines(after)))


def _lines(text: str) -> list[str]:
    """The lines as editors count them: other characters that end lines in Python do not there."""
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [
        line for line in text.split("\n")[-1:] if line
    ]


def _line_edits(before: list[str], after: list[str]) -> Iterator[LineEdit]:
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag != "equal":
            yield LineEdit(start, end, "".join(after[new_start:new_end]))
