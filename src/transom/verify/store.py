"""Results over time in one SQLite file: the door to it.

Tests, variants and messages are numbers. A run keeps the outcomes of all tests in one value, a byte for each number of
a test, deflated: a run is one row however many tests it has, and a page of the grid reads one column.
"""

import sqlite3
import zlib
from array import array
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.verify.results import VARIANT_KEYS, Outcome, RunResults, Variant

# "TrVf" in bytes: `file` and we tell a store from any other database by it.
_APPLICATION = 0x54725666
_FORMAT = 1
_BUSY_S = 30.0
# What a skipped test says is its condition, the same in every run; it would fill the store.
_TELLING = (Outcome.FAILED, Outcome.FLAKY)

_SCHEMA = f"""
CREATE TABLE test (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE message (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE variant (
    id INTEGER PRIMARY KEY,
    {"".join(f"{key} TEXT NOT NULL, " for key in VARIANT_KEYS)}
    UNIQUE ({", ".join(VARIANT_KEYS)})
);
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    job TEXT NOT NULL,
    build TEXT NOT NULL,
    started INTEGER NOT NULL,
    variant INTEGER NOT NULL REFERENCES variant (id),
    source TEXT NOT NULL,
    outcomes BLOB NOT NULL,
    milliseconds BLOB NOT NULL,
    UNIQUE (job, build)
);
CREATE TABLE told (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    test INTEGER NOT NULL,
    message INTEGER NOT NULL,
    PRIMARY KEY (run, test)
) WITHOUT ROWID;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_FORMAT};
"""


class Run(NamedTuple):
    """A run that the store has; `number` is its key there."""

    number: int
    job: str
    build: str
    started: int
    variant: Variant
    source: str

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.job}/{self.build}"


class Store:
    """The results of many runs. One writer at a time; readers are never in its way."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._db = connection
        self._path = path
        self._tests: dict[str, int] = dict(connection.execute("SELECT name, id FROM test"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def add(self, results: RunResults, *, replace: bool = False) -> bool:
        """Keep a run, whole or not at all; say whether it is new here.

        With `replace` a run of that job and build that is there already gives way.
        """
        with self._writing():
            there = self._db.execute(
                "SELECT id FROM run WHERE job = ? AND build = ?", (results.job, results.build)
            ).fetchone()
            if there is not None:
                if not replace:
                    return False
                self._db.execute("DELETE FROM run WHERE id = ?", there)
            self._insert(results)
        return True

    def runs(self) -> list[Run]:
        """Every run, the oldest first."""
        columns = ", ".join(f"variant.{key}" for key in VARIANT_KEYS)
        rows = self._db.execute(
            f"SELECT run.id, job, build, started, source, {columns} "  # noqa: S608 - names of ours
            "FROM run JOIN variant ON variant.id = run.variant ORDER BY started, run.id"
        )
        return [
            Run(
                number,
                job,
                build,
                started,
                Variant(**dict(zip(VARIANT_KEYS, values, strict=True))),
                source,
            )
            for number, job, build, started, source, *values in rows
        ]

    def names(self) -> list[str]:
        """The name of every test; its place in the list is its place in outcomes."""
        names = [""] * max(self._tests.values(), default=0)
        for name, number in self._tests.items():
            names[number - 1] = name
        return names

    def outcomes(self, runs: Sequence[Run]) -> list[bytes]:
        """For each run a byte for each test of `names`: an `Outcome`."""
        width = max(self._tests.values(), default=0)
        packed = dict(
            self._db.execute(
                f"SELECT id, outcomes FROM run WHERE id IN ({_places(runs)})",  # noqa: S608 - question marks
                [run.number for run in runs],
            )
        )
        return [self._inflated(packed[run.number], width).ljust(width, b"\0") for run in runs]

    def milliseconds(self, run: Run) -> "array[int]":
        """How long each test took, by its place in `names`; the list ends with the last known one."""
        row = self._db.execute(
            "SELECT milliseconds FROM run WHERE id = ?", (run.number,)
        ).fetchone()
        durations = array("I")
        durations.frombytes(self._inflated(row[0], 4 * len(self._tests)))
        return durations

    def _inflated(self, packed: bytes, most: int) -> bytes:
        try:
            return zlib.decompressobj().decompress(packed, most)
        except zlib.error as error:
            raise PermanentError("a run in the store is damaged", subject=self._path) from error

    def told(self, runs: Sequence[Run]) -> Iterator[tuple[int, int, str]]:
        """What was said where a test failed or flaked: number of the run, place of the test, text."""
        yield from self._db.execute(
            "SELECT run, test - 1, text FROM told JOIN message ON message.id = told.message "  # noqa: S608 - question marks
            f"WHERE run IN ({_places(runs)})",
            [run.number for run in runs],
        )

    def _insert(self, run: RunResults) -> None:
        results = run.results
        numbers = self._numbers(results.names)
        width = max(numbers, default=0)
        outcomes, durations = bytearray(width), array("I", bytes(4 * width))
        for number, outcome in zip(numbers, results.outcomes, strict=True):
            outcomes[number - 1] = outcome
        for number, milliseconds in zip(numbers, results.milliseconds, strict=True):
            durations[number - 1] = milliseconds
        cursor = self._db.execute(
            "INSERT INTO run (job, build, started, variant, source, outcomes, milliseconds) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                run.job,
                run.build,
                run.started,
                self._variant(run.variant),
                run.source,
                zlib.compress(outcomes, 1),
                zlib.compress(durations.tobytes(), 1),
            ),
        )
        assert cursor.lastrowid is not None
        self._tell(
            cursor.lastrowid,
            [
                (numbers[place], text)
                for place, text in results.messages.items()
                if results.outcomes[place] in _TELLING
            ],
        )

    def _numbers(self, names: Collection[str]) -> list[int]:
        tests = self._tests
        new = [name for name in names if name not in tests]
        if new:
            first = max(tests.values(), default=0) + 1
            numbered = list(enumerate(new, first))
            self._db.executemany("INSERT INTO test (id, name) VALUES (?, ?)", numbered)
            tests |= {name: number for number, name in numbered}
        return list(map(tests.__getitem__, names))

    def _variant(self, variant: Variant) -> int:
        values = [getattr(variant, key) for key in VARIANT_KEYS]
        marks = ", ".join("?" * len(values))
        columns = ", ".join(VARIANT_KEYS)
        self._db.execute(f"INSERT OR IGNORE INTO variant ({columns}) VALUES ({marks})", values)  # noqa: S608 - names of ours
        same = " AND ".join(f"{key} = ?" for key in VARIANT_KEYS)
        number: int = self._db.execute(f"SELECT id FROM variant WHERE {same}", values).fetchone()[0]  # noqa: S608 - names of ours
        return number

    def _tell(self, run: int, told: Sequence[tuple[int, str]]) -> None:
        texts = [(text,) for _, text in told]
        self._db.executemany("INSERT OR IGNORE INTO message (text) VALUES (?)", texts)
        self._db.executemany(
            "INSERT INTO told (run, test, message) SELECT ?, ?, id FROM message WHERE text = ?",
            [(run, number, text) for number, text in told],
        )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction: all of it, or nothing."""
        known = dict(self._tests)
        try:
            self._db.execute("BEGIN IMMEDIATE")
            # Another program may have added tests since.
            self._tests |= dict(
                self._db.execute("SELECT name, id FROM test WHERE id > ?", (len(known),))
            )
            yield
            self._db.execute("COMMIT")
        except BaseException as error:
            self._tests = known
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError):
                raise self._unwritable(error) from error
            raise

    def _unwritable(self, error: sqlite3.OperationalError) -> TemporaryError | PermanentError:
        if "locked" in str(error) or "busy" in str(error):
            return TemporaryError(
                "another program is writing the store", subject=self._path, hint="try again"
            )
        return PermanentError("cannot write the store", subject=self._path)


def _places(runs: Sequence[Run]) -> str:
    return ", ".join("?" * len(runs))


def open_store(path: Path, *, create: bool = False) -> Store:
    """Open a store; with `create` an absent one is made."""
    if not create and not path.is_file():
        raise UsageError(
            "there is no store of results",
            subject=str(path),
            hint="`transom verify import` makes one; --store names another",
        )
    try:
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_S)
        return _checked(connection, str(path))
    except (sqlite3.Error, OSError) as error:
        raise UsageError("cannot open the store of results", subject=str(path)) from error


def _checked(connection: sqlite3.Connection, path: str) -> Store:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (written,) = connection.execute("PRAGMA user_version").fetchone()
    if not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        connection.executescript(f"PRAGMA journal_mode = WAL; BEGIN; {_SCHEMA} COMMIT;")
    elif application != _APPLICATION:
        raise UsageError("that database is no store of results", subject=path)
    elif written != _FORMAT:
        raise UsageError(
            f"the store has format {written}, this Transom reads {_FORMAT}",
            subject=path,
            hint="a newer Transom wrote it: install that one",
        )
    return Store(connection, path)
