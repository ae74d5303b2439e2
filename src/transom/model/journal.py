"""What a step finds and what it did, as plain values: drift, intent, receipt and their owner.

Made by the node program's steps and its journalling host, kept in the journal on the host, read by
whoever plans, undoes or reports. Nothing here knows how a change is made.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Any, Generic, TypeVar

from transom.model.disruption import Disruption
from transom.model.records import dataclass

W = TypeVar("W")

SERVICE_STATE = "service-state"
"""The act of starting or stopping a service."""
ADOPTED = "adopted"
"""The act that records a node somebody else made."""


@dataclass(frozen=True, slots=True)
class Drift(Generic[W]):
    """One thing that differs from the recipe.

    `item` is what its step needs to put it right; it may hold a secret and so is never printed,
    compared or stored. `disruption` is what this change does to a node in use, where it is not what
    its step declares.
    """

    subject: str
    found: str
    wanted: str
    item: W = field(repr=False, compare=False)
    disruption: Disruption | None = None


@dataclass(frozen=True, slots=True)
class Intent:
    """One change, recorded before it is made: what was there, or None where nothing was."""

    step: str
    act: str
    subject: str
    before: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Receipt:
    """The intents of one step in the order they were made: all that its undo may look at."""

    step: str
    intents: tuple[Intent, ...]


# The fleet of a host that was joined without one; any fleet of its cluster may take it over.
SINGLE_HOST = "single-host"
OPERATOR = "operator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Who a host's journal belongs to.

    `cluster` is the SHA-256 of the cluster's certificate authority, empty while a host is only
    prepared; `who` is cli, operator or boot data.
    """

    cluster: str
    fleet: str
    who: str

    def gives_way_to(self, other: "Owner", pins: tuple[str, ...] = ()) -> bool:
        """Whether another may go on with the host: of the same cluster, and of the same fleet.

        While a cluster changes its authority it has several; `pins` are all of them.
        """
        same_cluster = not other.cluster or self.cluster in ("", other.cluster, *pins)
        return same_cluster and self.has_same_hands(other)

    def has_same_hands(self, other: "Owner") -> bool:
        """Whether another works on the same fleet in the same way, whatever its cluster is."""
        same_fleet = self.fleet in (other.fleet, SINGLE_HOST)
        return same_fleet and (OPERATOR not in (self.who, other.who) or self.who == other.who)


class RecordKind(Enum):
    """What a line of a journal says.

    Whose it is from there on, a change about to be made, or how many intents, counted from the
    first, a run brought to its end or are left after an undo.
    """

    OWNER = "owner"
    INTENT = "intent"
    SETTLED = "settled"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRecord:
    """One line of a journal, after its checksum and a space.

    The first names the format and, as `transom`, the version of Transom that wrote it.
    """

    api_version: str | None = None
    kind: str | None = None
    record: RecordKind
    owner: Owner | None = None
    intent: Intent | None = None
    count: int | None = None
    transom: str | None = None
