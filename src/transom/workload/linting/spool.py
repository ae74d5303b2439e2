"""What a run keeps until its end, in order: the last of it in memory, all before in a temporary file.

Filled while files are linted and read as often as needed, so that memory does not grow with the
number of files.
"""

from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, Generic, NamedTuple, TypeVar

from transom.model.finding import Finding

if TYPE_CHECKING:
    from transom.workload.links import Bond

# About two megabytes of findings; few runs have more.
_KEPT = 2_000

_T = TypeVar("_T")


class Entry(NamedTuple):
    """A finding, the line it is in, and what must be met elsewhere for it to be true."""

    finding: Finding
    source: str | None = None
    bond: "Bond | None" = None


class Spool(Generic[_T]):
    """Things that can be read again and again; at most about `kept` of them are in memory."""

    def __init__(self, *, kept: int | None = None) -> None:
        self._kept = _KEPT if kept is None else kept
        self._recent: list[_T] = []
        self._file: IO[bytes] | None = None

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()

    def add(self, things: Iterable[_T]) -> None:
        """Put things after all others."""
        self._recent += things
        if len(self._recent) > self._kept:
            self._put_away()

    def __iter__(self) -> Iterator[_T]:
        yield from self._put_away_before()
        yield from self._recent

    def _put_away(self) -> None:
        from pickle import dump
        from tempfile import TemporaryFile

        if self._file is None:
            self._file = TemporaryFile()  # noqa: SIM115 - open until the run ends
        self._file.seek(0, 2)
        dump(self._recent, self._file)
        self._recent = []

    def _put_away_before(self) -> Iterator[_T]:
        if self._file is None:
            return
        from pickle import load

        end, place = self._file.seek(0, 2), 0
        while place < end:
            self._file.seek(place)
            # Written by this very process into a file without a name.
            things: list[_T] = load(self._file)  # noqa: S301 - see above
            place = self._file.tell()
            yield from things
