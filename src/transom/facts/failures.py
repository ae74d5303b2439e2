"""Messages of failures that people meet, with the cause and the remedy of each.

Read by `explain error` and by the doctor.
"""

from typing import ClassVar

from transom.facts.rows import Row


class Failure(Row):
    """A known failure; `messages` are the texts programs print, without what varies in them."""

    subject: ClassVar[str] = "failures"
    table: ClassVar[str] = "failure"

    title: str
    messages: tuple[str, ...]
    cause: str
    remedy: str
