"""The objects of the API that workloads are made of, field by field.

Read by `explain`, to tell a field without a difference on Windows from a typing error.
"""

from typing import ClassVar

from transom.facts.rows import Row


class Kind(Row):
    """One kind: its name, group and version, short names as kubectl has them, and its fields.

    A field is a dotted path without positions in lists; `*` is any key of a map and what is below.
    `reference` is set, because nothing but explanations needs them.
    """

    subject: ClassVar[str] = "api"
    table: ClassVar[str] = "kind"

    name: str
    api: str
    fields: tuple[str, ...]
    short: tuple[str, ...] = ()
