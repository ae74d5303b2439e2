"""Known issues of Windows nodes by version: what is limited, since when and what helps.

Read by `explain` and `facts`; nothing decides by them.
"""

from typing import ClassVar

from transom.facts.rows import Row


class KnownIssue(Row):
    """A limitation or trap; `words` are what people would ask for beside the id."""

    subject: ClassVar[str] = "issues"
    table: ClassVar[str] = "issue"

    title: str
    text: str
    remedy: str
    words: tuple[str, ...] = ()
