"""A manifest while it is edited: what is wrong in its text, and the edits that end it.

Reads settings and kustomizations beside the file, but not the file itself:
the editor has the newer text.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from transom.errors import InvalidDocument
from transom.model.finding import Finding
from transom.model.problem import Mistake
from transom.workload.fix import Fixer
from transom.workload.ignore import Ignore
from transom.workload.linting.gather import Gathered
from transom.workload.linting.run import Job, lint_text
from transom.workload.remedy import REMEDIES, safety


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
    text: str, name: str, job: Job, ignores: Sequence[Ignore] = ()
) -> tuple[list[Finding], list[Mistake]]:
    """What is wrong in a text by itself, and why it cannot be read."""
    part = lint_text(name, text.encode(), job)
    with Gathered(ignores=ignores, baseline=None) as gathered:
        gathered.add(part)
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
