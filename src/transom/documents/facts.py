"""What `transom facts -o json` prints: the matrix, or everything that holds at one place."""

from collections.abc import Mapping, Sequence
from typing import Any

from transom.facts.matrix import Line, Matrix
from transom.facts.rows import At, Row, find
from transom.facts.windows import Release, Support
from transom.model.api_versions import written
from transom.model.codec import camel_case, encode
from transom.model.records import dataclass

_COMMON = frozenset(Row.columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportedRelease:
    """A Windows Server release that those minors support; `marks` is what differs there."""

    release: str
    build: int
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Minors:
    """Kubernetes minors from `first` to `last`, which do not differ in what is told here.

    `containerd` has the least version of each series, `docker` the least version and `docker_by`
    what drives it; `privileged` is how programs of the host can run.
    """

    first: str
    last: str
    stage: str
    containerd: tuple[str, ...]
    containerd_stage: str
    docker: str
    docker_by: str
    pause_image: str
    privileged: tuple[str, ...]
    releases: tuple[SupportedRelease, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsMatrix:
    """Which Windows Server release runs with which Kubernetes minor, newest minors first.

    `marks` says in words what each mark of a release means.
    """

    api_version: str = written("FactsMatrix")
    kind: str = "FactsMatrix"
    minors: tuple[Minors, ...]
    marks: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One row: its table, where it holds, where that is written, and its table's own columns.

    The ranges `kubernetes`, `windows_build` and `containerd` are half-open; empty means everywhere.
    """

    table: str
    id: str
    kubernetes: str
    windows_build: str
    containerd: str
    columns: Mapping[str, Any]
    note: str
    source: str
    checked: str
    confidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactGroup:
    """Facts of one subject."""

    title: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything that holds for the versions asked about, which are empty where not asked.

    `supported` is null unless both a Kubernetes version and a Windows release were asked about.
    """

    api_version: str = written("Facts")
    kind: str = "Facts"
    kubernetes: str
    windows: str
    containerd: str
    supported: bool | None
    groups: tuple[FactGroup, ...]


def matrix_document(table: Matrix) -> FactsMatrix:
    """The document of the matrix."""
    return FactsMatrix(minors=tuple(map(_minors, table.lines)), marks=table.marks)


def facts_document(
    at: At, release: Release | None, found: Sequence[tuple[str, Sequence[Row]]]
) -> Facts:
    """The document of the facts found at a place, by title of their group."""
    return Facts(
        kubernetes=at.kubernetes.minor_text if at.kubernetes else "",
        windows=release.id if release else "",
        containerd=str(at.containerd) if at.containerd else "",
        supported=_supported(at, release),
        groups=tuple(
            FactGroup(title=title, facts=tuple(map(_fact, rows))) for title, rows in found
        ),
    )


def _minors(line: Line) -> Minors:
    support = line.support
    return Minors(
        first=line.first.minor_text,
        last=line.last.minor_text,
        stage=support.stage,
        containerd=support.containerd_minimums,
        containerd_stage=support.containerd_stage,
        docker=support.docker_minimum,
        docker_by=support.docker_by,
        pause_image=line.pause.image if line.pause else "",
        privileged=line.ways,
        releases=tuple(
            SupportedRelease(release=cell.release.id, build=cell.release.build, marks=cell.marks)
            for cell in line.cells
            if cell.supported
        ),
    )


def _supported(at: At, release: Release | None) -> bool | None:
    if at.kubernetes is None or release is None:
        return None
    support = find(Support, "windows-support", At(kubernetes=at.kubernetes))
    return support is not None and release.build in support.builds


def _fact(row: Row) -> Fact:
    return Fact(
        table=row.table,
        id=row.id,
        kubernetes=row.kubernetes,
        windows_build=row.windows_build,
        containerd=row.containerd,
        columns={
            camel_case(name): encode(getattr(row, name))
            for name in row.columns
            if name not in _COMMON
        },
        note=row.note,
        source=row.source,
        checked=row.checked,
        confidence=row.confidence,
    )
