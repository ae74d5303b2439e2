"""Feature gates: when each came, what it is by default, when it is locked and when it went.

Read by the recipe, which refuses gates a version does not know or has locked, and by `explain`.
"""

from typing import ClassVar

from transom.facts.rows import Row
from transom.model.records import dataclass
from transom.model.version import Version


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


@dataclass(frozen=True, slots=True)
class GateState:
    """What a gate is in one minor; an empty `stage` means that the minor does not know it."""

    stage: str
    on: bool = False
    locked: bool = False


def state(gate: Gate, kubernetes: Version) -> GateState:
    """The gate as that version of Kubernetes has it."""
    reached = Version(kubernetes.major, kubernetes.minor)

    def since(minor: str) -> bool:
        return minor != "" and Version.parse(minor) <= reached

    stages = {
        "alpha": gate.alpha,
        "beta": gate.beta,
        "stable": gate.ga,
        "deprecated": gate.deprecated,
    }
    begun = [name for name, minor in stages.items() if since(minor)]
    if not begun or since(gate.removed):
        return GateState("")
    locked = since(gate.locked)
    on = since(gate.on_by_default) and not since(gate.off_again)
    return GateState(begun[-1], gate.locked_to if locked else on, locked)
