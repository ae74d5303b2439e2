"""Failures people meet: the messages, what decides that a text has one, the cause and the remedy.

`messages` compares texts with them; `explain` and the doctor give their answers.
"""

from typing import ClassVar

from transom.facts.rows import Row


class Failure(Row):
    """A known failure.

    `messages` are the texts programs print, without what varies in them. A line that has one of
    `signs` is this failure; `*` in a sign stands for any text. `rank` is cause, symptom (another
    error in the text may be the cause) or harmless. `look` says where the evidence is.
    """

    subject: ClassVar[str] = "failures"
    table: ClassVar[str] = "failure"

    title: str
    messages: tuple[str, ...]
    signs: tuple[str, ...]
    cause: str
    remedy: str
    look: str = ""
    rank: str = "cause"


class RefusalReason(Row):
    """A reason Transom itself gives for not doing something, by the id it prints."""

    subject: ClassVar[str] = "failures"
    table: ClassVar[str] = "refusal_reason"

    title: str
    cause: str
    remedy: str
