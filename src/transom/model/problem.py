"""What is wrong, as plain values: mistakes in a document, and reasons to refuse it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing wrong in a document a person wrote, with its place.

    `path` is the dotted path inside the document; `line` and `column` count from one, and are
    zero where the document has no such place.
    """

    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    hint: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason why a fleet cannot work, with the fact it rests on."""

    id: str
    subject: str
    found: str
    reason: str
    fix: str
    source: str
