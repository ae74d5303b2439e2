"""How machines' names become computer names on Windows, by whom they are shortened."""

from typing import ClassVar

from transom.facts.rows import Row


class NameRule(Row):
    """A rule for names of machines, or of pools whose members get a number behind it.

    A name longer than `longest` becomes its first `head` characters (of the cluster's name where
    `head_of` is cluster; the text `prefix` where that is given), a dash, and its last `tail`. What
    the platform itself adds to a pool's name has `added` characters.
    """

    subject: ClassVar[str] = "naming"
    table: ClassVar[str] = "name_rule"
    rule: str
    concerns: str
    longest: int
    head: int = 0
    head_of: str = "name"
    prefix: str = ""
    tail: int = 0
    added: int = 0
    text: str


class NameLimit(Row):
    """A limit a platform sets on names and does not shorten to."""

    subject: ClassVar[str] = "naming"
    table: ClassVar[str] = "name_limit"
    value: int
    forbidden: tuple[str, ...] = ()
    text: str
