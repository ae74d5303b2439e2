"""What `transom join`, `adopt`, `upgrade`, `reset` and `collect` print with `-o json`."""

from transom.model.answers import PlannedChange, PlannedStep
from transom.model.api_versions import written
from transom.model.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinResult:
    """A node that is Ready; `changed` are the steps that changed something, in their order.

    `not_applied` is what was asked for and the node still does not have.
    """

    api_version: str = written("JoinResult")
    kind: str = "JoinResult"
    node: str
    ready: bool
    kubernetes: str
    windows: str
    runtime: str
    changed: tuple[str, ...]
    notes: tuple[str, ...]
    not_applied: tuple[PlannedChange, ...]
    elapsed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetResult:
    """A host that was reset; `undone` are the steps, last done first."""

    api_version: str = written("ResetResult")
    kind: str = "ResetResult"
    node: str
    undone: tuple[str, ...]
    node_deleted: bool
    elapsed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeResult:
    """A node that is Ready on another version; `anew` where it was reset and joined again.

    `not_applied` is what was asked for and the node still does not have.
    """

    api_version: str = written("UpgradeResult")
    kind: str = "UpgradeResult"
    node: str
    ready: bool
    before: str
    kubernetes: str
    anew: bool
    changed: tuple[str, ...]
    notes: tuple[str, ...]
    not_applied: tuple[PlannedChange, ...]
    elapsed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptResult:
    """A node that somebody else made; `planned` is what an upgrade to its recipe would change."""

    api_version: str = written("AdoptResult")
    kind: str = "AdoptResult"
    node: str
    kubernetes: str
    is_new: bool
    planned: tuple[PlannedStep, ...]
    elapsed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedArchive:
    """An archive of one host."""

    host: str
    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectResult:
    """The archives that were written."""

    api_version: str = written("CollectResult")
    kind: str = "CollectResult"
    archives: tuple[CollectedArchive, ...]
