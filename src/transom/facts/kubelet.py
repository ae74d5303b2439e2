"""The kubelet on Windows: which flags exist when, and what its configuration's fields do there.

Read by the recipe, which writes no flag or field that a version denies, and by `explain`.
"""

from typing import ClassVar

from transom.facts.rows import Row


class Flag(Row):
    """A command line flag, named without its dashes; the row's range is where it exists."""

    subject: ClassVar[str] = "kubelet"
    table: ClassVar[str] = "flag"

    name: str
    text: str


class Field(Row):
    """A field of KubeletConfiguration, by its dotted path.

    `behaviour` is `refused` (the kubelet does not start), `ignored`, `arithmetic` (only
    subtracted from allocatable), `different`, `required` or `fine`; `when` says which value it
    speaks of: a literal, `any` or `not empty`.
    """

    subject: ClassVar[str] = "kubelet"
    table: ClassVar[str] = "field"

    path: str
    behaviour: str
    when: str
    text: str
    fix: str


class OwnedField(Row):
    """A field of the configuration that the recipe writes itself; `key` is what the fleet has for it."""

    subject: ClassVar[str] = "kubelet"
    table: ClassVar[str] = "owned_field"

    path: str
    key: str
    text: str
