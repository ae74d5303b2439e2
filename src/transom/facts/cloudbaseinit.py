"""What cloudbase-init does with boot data, and the traps people fall into.

Read by everything that follows, checks or makes boot data.
"""

from typing import ClassVar

from transom.facts.rows import Row


class ProgramVersion(Row):
    """The version whose behaviour the other rows describe."""

    subject: ClassVar[str] = "cloudbaseinit"
    table: ClassVar[str] = "release"
    version: str


class Section(Row):
    """A section of a cloud-config; `order` zero is one that cloudbase-init does not know.

    `instead` says what to use in place of one it does not know.
    """

    subject: ClassVar[str] = "cloudbaseinit"
    table: ClassVar[str] = "section"
    name: str
    order: int = 0
    instead: str = ""


class PartType(Row):
    """A content type of a MIME part, and what becomes of it.

    `handling`: cloud-config, script, heat, part-handler, container (looked into) or ignored.
    """

    subject: ClassVar[str] = "cloudbaseinit"
    table: ClassVar[str] = "part"
    type: str
    handling: str
    text: str = ""


class Number(Row):
    """A number in cloudbase-init's code or its defaults."""

    subject: ClassVar[str] = "cloudbaseinit"
    table: ClassVar[str] = "number"
    value: int
    text: str


class Trap(Row):
    """What goes wrong: `text` is what cloudbase-init does, `fix` what to write instead."""

    subject: ClassVar[str] = "cloudbaseinit"
    table: ClassVar[str] = "trap"
    title: str
    severity: str
    text: str
    fix: str
