"""How facts are read: each table's rows as frozen values, and which of them hold where.

A subject is a pair of files with one name: `windows.toml` has the rows, `windows.py` the row types.
The TOML is what people edit; `tools/generate.py` checks it against the row types and writes the
JSON in `compiled/` that is read here, because parsing TOML at every start would cost more than all
else. Never writes.
"""

import json
from functools import cache
from os.path import dirname, join
from typing import Any, ClassVar, NamedTuple, TypeVar

from transom.errors import UnsupportedError
from transom.facts.record import Record
from transom.model.version import Version, VersionRange

# By name alone: pathlib would cost more than reading the facts does.
COMPILED = join(dirname(__file__), "compiled")  # noqa: PTH118, PTH120 - same

# Rows already read, by table: facts never change while a program runs.
_TABLES: dict[type["Row"], tuple[Any, ...]] = {}
# And those that hold at a place: the hosts of a fleet mostly ask about the same one.
_HELD: dict[tuple[type["Row"], "At"], tuple[Any, ...]] = {}


class At(NamedTuple):
    """The place a question is asked about; a dimension left out does not narrow the answer."""

    kubernetes: Version | None = None
    build: int | None = None
    containerd: Version | None = None


class Row(Record):
    """What every fact carries beside its own columns.

    `reference` marks rows that people are told about but no recipe, rule or renderer reads.
    """

    subject: ClassVar[str]
    table: ClassVar[str]

    id: str
    source: str
    checked: str
    kubernetes: str = ""
    windows_build: str = ""
    containerd: str = ""
    confidence: str = "verified"
    reference: bool = False
    note: str = ""

    def holds(self, at: At) -> bool:
        """Whether this row is true at that place."""
        return (
            (at.kubernetes is None or at.kubernetes in VersionRange.parse(self.kubernetes))
            and (at.build is None or Version(at.build) in VersionRange.parse(self.windows_build))
            and (at.containerd is None or at.containerd in VersionRange.parse(self.containerd))
        )


R = TypeVar("R", bound=Row)


def read(table: type[R]) -> tuple[R, ...]:
    """All rows of a table, in the order of the file."""
    if table not in _TABLES:
        _TABLES[table] = tuple(_build(table, row) for row in _document(table.subject)[table.table])
    return _TABLES[table]


def rows(table: type[R], at: At) -> tuple[R, ...]:
    """The rows of a table that hold at that place."""
    found = _HELD.get((table, at))
    if found is None:
        found = _HELD[table, at] = tuple(row for row in read(table) if row.holds(at))
    return found


def find(table: type[R], row_id: str, at: At) -> R | None:
    """The row of that id that holds there, if any."""
    return next((row for row in rows(table, at) if row.id == row_id), None)


def one(table: type[R], row_id: str, at: At) -> R:
    """The row of that id that holds there; nothing known is an error of its own."""
    row = find(table, row_id, at)
    if row is None:
        raise UnsupportedError(
            f"no fact {row_id} for {_place(at)}",
            subject=row_id,
            hint="`transom facts` shows what is covered",
        )
    return row


def _place(at: At) -> str:
    parts = []
    if at.kubernetes is not None:
        parts.append(f"Kubernetes {at.kubernetes}")
    if at.build is not None:
        parts.append(f"Windows build {at.build}")
    if at.containerd is not None:
        parts.append(f"containerd {at.containerd}")
    return ", ".join(parts) or "any version"


@cache
def _document(subject: str) -> dict[str, list[dict[str, Any]]]:
    with open(join(COMPILED, f"{subject}.json"), "rb") as file:  # noqa: PTH118, PTH123 - same
        document: dict[str, list[dict[str, Any]]] = json.loads(file.read())
    return document


def _build(table: type[R], row: dict[str, Any]) -> R:
    return table.trusted(
        {name: _freeze(value) if type(value) is list else value for name, value in row.items()}
    )


def _freeze(value: Any) -> Any:
    return tuple(_freeze(item) for item in value) if isinstance(value, list) else value
