"""API versions that Kubernetes no longer serves, of kinds that Windows samples use.

Read by the rule about removed versions.
"""

from typing import ClassVar

from transom.facts.rows import Row


class RemovedApi(Row):
    """A version of some kinds, the minor that serves it no more, and what to write instead."""

    subject: ClassVar[str] = "removed"
    table: ClassVar[str] = "api"

    api_version: str
    object_kinds: tuple[str, ...]
    removed: str
    replacement: str
