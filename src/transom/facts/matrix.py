"""The support matrix: which Windows release runs with which Kubernetes minor, and what differs.

Everything in it comes from rows; a mark in a cell is a fact that holds there
because of the build.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from transom.facts.describe import explain_row
from transom.facts.issues import KnownIssue
from transom.facts.join import PrivilegedWay
from transom.facts.rows import At, Row, find, read
from transom.facts.rules import Rule
from transom.facts.windows import Kb, PauseImage, Release, Support
from transom.model.records import dataclass
from transom.model.version import Version, VersionRange


@dataclass(frozen=True, slots=True)
class Cell:
    """A release under a minor: whether it is supported, and the ids of what differs there."""

    release: Release
    supported: bool
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One Kubernetes minor, or several in a row that do not differ."""

    first: Version
    last: Version
    support: Support
    pause: PauseImage | None
    ways: tuple[str, ...]
    cells: tuple[Cell, ...]

    @property
    def minors(self) -> str:
        """`1.36` or `1.24-1.31`."""
        first, last = self.first.minor_text, self.last.minor_text
        return first if first == last else f"{first}-{last}"


@dataclass(frozen=True, slots=True)
class Matrix:
    """All lines, newest first, and what each mark means."""

    releases: tuple[Release, ...]
    lines: tuple[Line, ...]
    marks: dict[str, str]


def matrix() -> Matrix:
    """The matrix of every known minor."""
    releases = tuple(row for row in read(Release) if _ever_supported(row))
    lines = _joined([_line(support, releases) for support in read(Support)])[::-1]
    marks = {mark: None for line in lines for cell in line.cells for mark in cell.marks}
    return Matrix(releases, tuple(lines), {mark: _meaning(mark) for mark in marks})


def _ever_supported(release: Release) -> bool:
    return any(release.build in support.builds for support in read(Support))


def _line(support: Support, releases: Sequence[Release]) -> Line:
    minor = VersionRange.parse(support.kubernetes).since
    assert minor is not None
    pause = find(PauseImage, "pause-image", At(kubernetes=minor))
    ways = tuple(row.way for row in read(PrivilegedWay) if row.holds(At(kubernetes=minor)))
    cells = tuple(_cell(release, minor, support, pause) for release in releases)
    return Line(minor, minor, support, pause, ways, cells)


def _cell(release: Release, minor: Version, support: Support, pause: PauseImage | None) -> Cell:
    if release.build not in support.builds:
        return Cell(release, supported=False)
    at = At(kubernetes=minor, build=release.build)
    marks = [row.id for row in _by_build(at)]
    if pause is not None and release.build not in pause.builds:
        marks.append(pause.id)
    return Cell(release, supported=True, marks=tuple(marks))


def _by_build(at: At) -> Iterator[Row]:
    for table in (Rule, KnownIssue):
        for row in read(table):
            if row.windows_build and row.holds(at):
                yield row
    for update in read(Kb):
        if update.build == at.build:
            yield update


def _meaning(mark: str) -> str:
    if mark == "pause-image":
        return "kubeadm's default pause image has no entry of this build"
    tables = (Rule, KnownIssue, Kb)
    row = next(row for table in tables for row in read(table) if row.id == mark)
    told = explain_row(row)
    return told.why if isinstance(row, Kb) else told.title


def _joined(lines: Sequence[Line]) -> list[Line]:
    joined: list[Line] = []
    for line in lines:
        if joined and _same(joined[-1], line):
            joined.append(replace(line, first=joined.pop().first))
        else:
            joined.append(line)
    return joined


def _same(one: Line, other: Line) -> bool:
    def key(line: Line) -> tuple[object, ...]:
        support = line.support
        return (
            support.stage,
            support.docker_minimum,
            support.docker_by,
            support.containerd_minimums,
            support.containerd_stage,
            line.pause and line.pause.image,
            line.ways,
            line.cells,
        )

    return key(one) == key(other)
