"""Advice of other linters that is wrong for Windows pods.

Read where their findings are imported.
"""

from typing import ClassVar

from transom.facts.rows import Row


class WrongAdvice(Row):
    """What a tool's checks ask for, and the rules of ours that forbid exactly that.

    `checks` are ids as the tool's SARIF has them.
    """

    subject: ClassVar[str] = "foreign"
    table: ClassVar[str] = "advice"

    tool: str
    checks: tuple[str, ...]
    asks_for: str
    rules: tuple[str, ...]
    why: str
