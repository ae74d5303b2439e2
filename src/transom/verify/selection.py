"""Which of upstream's tests a focus and a skip select, as Ginkgo would. Pure.

Ginkgo matches the suite's name, a space and the test's name, and a skip wins over a focus (onsi/ginkgo v2
internal/focus.go, ApplyFocusToSpecs). Its expressions are Go's, which are not Python's: what means something else in the
other is refused instead of counted wrongly.
"""

import re
from collections.abc import Iterator, Sequence

from transom.errors import UsageError
from transom.facts.e2e_names import SUITE
from transom.model.records import dataclass

# Python has these, Go's RE2 has not (golang.org/s/re2syntax).
_ONLY_PYTHON = re.compile(
    r"\(\?(?:=|!|<=|<!|>|\(|P=|#)|(?<!\\)(?:\\\\)*\\(?:[1-9]|Z)|(?<!\\)[*+?}]\+"
)
# Go has these, Python has not, or reads something else.
_ONLY_GO = re.compile(r"\[\[:|\\[pPQECz]|\(\?[a-zA-Z-]*U|(?<=.)\(\?[imsU-]+\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The tests that are run, and the parts of the focus that no test has."""

    tests: tuple[str, ...]
    dead: tuple[str, ...]


def select(names: Sequence[str], *, focus: str, skip: str) -> Selection:
    """Select tests; raise UsageError where an expression cannot be judged or selects nothing."""
    wanted = compiled(focus, "focus") if focus else None
    unwanted = compiled(skip, "skip") if skip else None
    texts = [f"{SUITE} {name}" for name in names]
    chosen = tuple(
        name
        for name, text in zip(names, texts, strict=True)
        if (wanted is None or wanted.search(text))
        and not (unwanted is not None and unwanted.search(text))
    )
    parts = list(alternatives(focus)) if focus else []
    dead = tuple(part for part in parts if not any(map(compiled(part, "focus").search, texts)))
    if not chosen:
        raise UsageError(
            f"the focus selects none of {len(names)} tests"
            + (f"; these parts match nothing: {', '.join(dead)}" if dead else ""),
            subject=focus,
            hint="a run with it would be green without a test"
            if dead
            else "the skip removes every test",
        )
    return Selection(tests=chosen, dead=dead)


def compiled(pattern: str, role: str) -> re.Pattern[str]:
    """An expression of Go as one of Python that means the same."""
    for strange, where in ((_ONLY_PYTHON, "Go has no such thing"), (_ONLY_GO, "only Go has it")):
        found = strange.search(pattern)
        if found:
            raise UsageError(
                f"cannot judge {found[0]!r} in the {role}: {where}",
                subject=pattern,
                hint="write it with what Go and Python have in common",
            )
    try:
        return re.compile(pattern, re.ASCII)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageError(
            f"the {role} is no regular expression: {error}", subject=pattern
        ) from error


def alternatives(pattern: str) -> Iterator[str]:
    """The parts between the `|` of an expression that stand outside of groups."""
    depth, start, place, is_class = 0, 0, 0, False
    while place < len(pattern):
        char = pattern[place]
        if char == "\\":
            place += 1
        elif is_class:
            is_class = char != "]"
        elif char == "[":
            is_class = True
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == "|" and not depth:
            yield pattern[start:place]
            start = place + 1
        place += 1
    yield pattern[start:]
