"""What `transom join`, `transom reset` and `transom collect` print with `-o json`."""

from dataclasses import dataclass

from transom.model.recipe import API_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinResult:
    """A node that is Ready; `changed` are the steps that changed something, in their order."""

    api_version: str = API_VERSION
    kind: str = "JoinResult"
    node: str
    ready: bool
    kubernetes: str
    windows: str
    runtime: str
    changed: tuple[str, ...]
    elapsed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetResult:
    """A host that was reset; `undone` are the steps, last done first."""

    api_version: str = API_VERSION
    kind: str = "ResetResult"
    node: str
    undone: tuple[str, ...]
    node_deleted: bool
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

    api_version: str = API_VERSION
    kind: str = "CollectResult"
    archives: tuple[CollectedArchive, ...]
