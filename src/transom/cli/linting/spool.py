"""What was found so far, in order: the last of it in memory, all before in a temporary file.

Filled while files are linted and read once per output, so that memory does not grow with the
number of findings. Called by `transom lint`.
"""

from collections.abc import Iterable, Iterator
from typing import IO, TYPE_CHECKING, NamedTuple, Self

from transom.model.finding import Finding

if TYPE_CHECKING:
    from transom.workload.links import Bond

# About two megabytes; few runs have more.
_KEPT = 2_000


class Entry(NamedTuple):
    """A finding, the line it is in, and what must be met elsewhere for it to be true."""

    finding: Finding
    source: str | None = None
    bond: "Bond | None" = None


class Spool:
    """Entries that can be read again and again."""

    def __init__(self) -> None:
        self._recent: list[Entry] = []
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, entries: Iterable[Entry]) -> None:
        """Put entries after all others."""
        self._recent += entries
        if len(self._recent) > _KEPT:
            self._put_away()

    def __iter__(self) -> Iterator[Entry]:
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

    def _put_away_before(self) -> Iterator[Entry]:
        if self._file is None:
            return
        from pickle import load

        end, place = self._file.seek(0, 2), 0
        while place < end:
            self._file.seek(place)
            # Written by this very process into a file without a name.
            entries: list[Entry] = load(self._file)  # noqa: S301 - see above
            place = self._file.tell()
            yield from entries
