"""Every id that Transom prints for programs to act on: steps, causes, rules, refusals, failures, phases and errors.

An id means one thing in the whole product and is never given to another: `tests/data/ids.txt` has all there ever were.
Each is explained by `transom explain`, and each is the reason of a condition by `model.reason.reason_of`.
"""

import textwrap
from collections.abc import Iterator
from enum import StrEnum
from inspect import cleandoc
from typing import Any

from transom import errors
from transom.facts.cloudbaseinit import Trap
from transom.facts.describe import Explanation, explain_row
from transom.facts.failures import Failure, RefusalReason
from transom.facts.rows import read
from transom.facts.rules import Rule
from transom.fleet import phases
from transom.kube import errors as kube_errors
from transom.model.records import dataclass
from transom.node.doctor.causes import DIAGNOSES
from transom.node.steps import STEPS


class IdKind(StrEnum):
    """What an id is of."""

    STEP = "step"
    CAUSE = "cause"
    RULE = "rule"
    REFUSAL = "refusal"
    FAILURE = "failure"
    PHASE = "phase"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """An id, what it is of, and what it says to a person."""

    id: str
    kind: IdKind
    told: Explanation


# Ids that are no longer printed, what they were of, and what stands in their place: they stay explained.
RETIRED: tuple[Registered, ...] = ()


def register() -> Iterator[Registered]:
    """Every id there is; those of rules come once for each range of versions."""
    yield from _facts()
    yield from own()
    yield from RETIRED


def own() -> Iterator[Registered]:
    """Those that are no facts."""
    yield from _causes()
    yield from _steps()
    yield from _phases()
    yield from _errors()


def _facts() -> Iterator[Registered]:
    for table, kind in (
        (Rule, IdKind.RULE),
        (Trap, IdKind.RULE),
        (RefusalReason, IdKind.REFUSAL),
        (Failure, IdKind.FAILURE),
    ):
        for row in read(table):
            yield Registered(id=row.id, kind=kind, told=explain_row(row))


def _causes() -> Iterator[Registered]:
    for cause in DIAGNOSES:
        told = Explanation(
            id=cause.id,
            kind=f"cause, {cause.severity.value}",
            title=cause.title,
            what=(cause.symptom,),
            why=cause.cause,
            look=f"`transom doctor` reads {', '.join(cause.looks_at)}.",
            do=f"{cause.remedy.text} Interrupts: {cause.remedy.interrupts}",
        )
        yield Registered(id=cause.id, kind=IdKind.CAUSE, told=told)


def _steps() -> Iterator[Registered]:
    for step in STEPS:
        doc = textwrap.dedent(type(step).__doc__ or "").strip()
        told = Explanation(id=step.id, kind="step of a join", title=step.title, why=doc)
        yield Registered(id=step.id, kind=IdKind.STEP, told=told)


def _phases() -> Iterator[Registered]:
    lists = (phases.CHANGE, phases.KEEP, phases.RESET, phases.MAINTAIN)
    found: dict[str, Any] = {}
    for phase in (phase for listed in lists for phase in listed):
        found.setdefault(phase.name, phase)
    for name, phase in found.items():
        told = Explanation(
            id=name,
            kind="phase of work on a host",
            title=phase.says or name,
            why=_sentence(phase.turn),
            look="ARCHITECTURE.md has all phases in their order.",
        )
        yield Registered(id=name, kind=IdKind.PHASE, told=told)


def _errors() -> Iterator[Registered]:
    for module in (errors, kube_errors):
        for name, kind in sorted(vars(module).items()):
            if not isinstance(kind, type) or not issubclass(kind, errors.TransomError):
                continue
            if kind.__module__ == module.__name__:
                told = Explanation(
                    id=name,
                    kind="kind of error",
                    title=f"exit code {kind.exit_code}",
                    why=_sentence(kind),
                    do="Its message, subject and hint say what happened, where, and what to do.",
                )
                yield Registered(id=name, kind=IdKind.ERROR, told=told)


def _sentence(documented: object) -> str:
    return " ".join(cleandoc(documented.__doc__ or "").split())
