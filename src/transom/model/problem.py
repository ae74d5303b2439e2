"""What is wrong, as plain values: mistakes in a document, and reasons to refuse it."""

from typing import NamedTuple


class Mistake(NamedTuple):
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


class Refusal(NamedTuple):
    """One reason why a fleet cannot work, with the fact it rests on."""

    id: str
    subject: str
    found: str
    reason: str
    fix: str
    source: str
