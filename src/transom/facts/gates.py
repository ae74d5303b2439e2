"""Feature gates: when each came, what it is by default, when it is locked and when it went.

Read by the recipe, which refuses gates a version does not know or has locked, and by `explain`.
"""

from dataclasses import dataclass
from typing import ClassVar

from transom.facts.rows import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate(Row):
    """A feature gate; kubeadm's own have the id `kubeadm/NAME`.

    Stages, `on_by_default`, `locked` and `removed` are the minors from which each holds, empty
    where it never did. A gate is known from its first stage until `removed`, on by default from
    `on_by_default` until `off_again`, and takes only `locked_to` once locked.
    """

    subject: ClassVar[str] = "gates"
    table: ClassVar[str] = "gate"

    name: str
    components: tuple[str, ...]
    text: str
    alpha: str = ""
    beta: str = ""
    ga: str = ""
    deprecated: str = ""
    removed: str = ""
    on_by_default: str = ""
    off_again: str = ""
    locked: str = ""
    locked_to: bool = True
