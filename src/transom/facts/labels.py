"""Labels of nodes by which clouds tell the operating system and the Windows build of a node."""

from typing import ClassVar

from transom.facts.rows import Row


class NodeLabel(Row):
    """A value of a node's label; `builds` are those its Windows nodes can have, none where it does not tell."""

    subject: ClassVar[str] = "labels"
    table: ClassVar[str] = "node_label"

    key: str
    value: str
    os: str
    builds: tuple[int, ...] = ()
