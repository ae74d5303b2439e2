"""The shape of a step, and what a step is told about the host it should make.

Each step is one file in `steps/`: a frozen dataclass.
"""

from collections.abc import Sequence
from dataclasses import field
from enum import Enum
from typing import Protocol, TypeVar

from transom.model.journal import Drift, Receipt
from transom.model.recipe import Recipe
from transom.model.records import dataclass
from transom.model.request import JoinSecrets, SourceAccess, Verb
from transom.model.step_id import StepId
from transom.model.version import VersionRange
from transom.node.engine.changes import restore_all
from transom.node.engine.disruption import Disruption, of_step
from transom.node.host.protocols import Host, ReadHost, UndoHost

W = TypeVar("W")


class Seen(Enum):
    """How a step was seen to work, weakest first."""

    SIMULATED = "simulated"
    STAND_IN = "stand-in"
    WINE = "wine"
    UPSTREAM_BINARY = "upstream-binary"
    WINDOWS = "windows"


_ALL = VersionRange()


@dataclass(frozen=True, slots=True, kw_only=True)
class Applies:
    """Where a step has anything to do; the empty values mean everywhere."""

    kubernetes: VersionRange = _ALL
    builds: tuple[int, ...] = ()


EVERYWHERE = Applies()


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """What a node runs before a run changes it; `privileged` is empty where only its maker knows.

    `recipe` is the one it was last brought to, None where it was adopted and never changed.
    """

    kubernetes: str
    runtime: str
    privileged: str = ""
    recipe: Recipe | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSpec:
    """What the host should become, by which verb: the recipe, the join's secrets, whose the node is.

    `joined_by_us` says that the journal has a join or an adoption that was not undone, `by_hand` that
    the join was one without kubeadm, `at_rest` that no power cut can have torn what the node's join left.
    `cluster` is the pin of the owner's cluster, `pins` those of all authorities that it has today.
    """

    recipe: Recipe
    verb: Verb = Verb.JOIN
    join: JoinSecrets | None = None
    access: SourceAccess = field(default_factory=SourceAccess)
    cluster: str = ""
    pins: tuple[str, ...] = ()
    joined_by_us: bool = False
    by_hand: bool = False
    at_rest: bool = False
    present: Present | None = None


class Step(Protocol[W]):
    """A unit of change on a host; `W` is what one of its changes needs.

    A concrete step says what it is and how it looks and acts. What its changes do to a node in use is in one
    table (`disruption.STEPS`), and taking them back is the same for all but a few.
    """

    @property
    def id(self) -> StepId:
        """A name that is never reused."""

    @property
    def title(self) -> str:
        """What it does, as a short sentence."""

    @property
    def needs(self) -> tuple[StepId, ...]:
        """The steps that must be done before."""

    @property
    def disruption(self) -> Disruption:
        """What applying it may do to a node in use."""
        return of_step(self.id)

    @property
    def seen(self) -> Seen:
        """How it was seen to work."""

    @property
    def applies(self) -> Applies:
        """Where it has anything to do."""

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[W]]:
        """Say what differs from the recipe; reads only, and nothing means done."""

    def apply(self, host: Host, drift: Sequence[Drift[W]]) -> None:
        """Change only what the drift names, through the journalling host."""

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Put back what was there before, last change first, and remove what was made."""
        restore_all(host, receipt)
