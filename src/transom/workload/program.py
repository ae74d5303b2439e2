"""All rows of data that can speak about one kind of object, compiled into one walk.

The paths of many rows share their beginnings, so they are laid into one tree that is followed only
where the object has the key: a pod is walked once, whatever the number of rows.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from transom.facts.rules import Rule as Row
from transom.workload.operators import OF_MISSING, Test, compile_test
from transom.workload.paths import KeyPrefix, ObjectPath, Step, Wild, owners, parse
from transom.workload.rule import Hit

RowHit = tuple[Row, Hit]

_LONGEST_SHOWN = 60


class _Branch:
    """A place that paths lead through, and the tests of those that end here."""

    __slots__ = ("ends", "items", "keys", "prefixes", "wild")

    def __init__(self) -> None:
        self.keys: dict[str, _Branch] = {}
        self.prefixes: dict[str, _Branch] = {}
        self.items: _Branch | None = None
        self.wild: _Branch | None = None
        self.ends: list[tuple[Test, Row]] = []

    def child(self, step: Step) -> "_Branch":
        if isinstance(step, str):
            return self.keys.setdefault(step, _Branch())
        if isinstance(step, KeyPrefix):
            return self.prefixes.setdefault(step.prefix, _Branch())
        if step is Wild.ITEM:
            self.items = self.items or _Branch()
            return self.items
        self.wild = self.wild or _Branch()
        return self.wild

    @property
    def is_wild(self) -> bool:
        """Whether some path goes on from here through more than one key."""
        return self.wild is not None or bool(self.prefixes)

    def wild_children(self, key: str) -> Iterator["_Branch"]:
        if self.wild is not None:
            yield self.wild
        for prefix, child in self.prefixes.items():
            if key.startswith(prefix):
                yield child


class Program:
    """The rows of one profile, ready to run."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._root = _Branch()
        self._of_missing: list[tuple[tuple[Step, ...], Test, Row]] = []
        for row in rows:
            test = compile_test(row)
            for path in row.paths:
                steps = parse(path)
                if row.op in OF_MISSING:
                    self._of_missing.append((steps, test, row))
                    continue
                branch = self._root
                for step in steps:
                    branch = branch.child(step)
                branch.ends.append((test, row))

    def run(self, value: Any, path: ObjectPath) -> list[RowHit]:
        """Every offence in an object that begins at that path."""
        hits: list[RowHit] = []
        _walk(self._root, value, path, hits)
        for steps, test, row in self._of_missing:
            # Of a row with several paths, which of them is missing.
            hits += (
                (row, Hit(place, str(place[-1]) if len(row.paths) > 1 else ""))
                for place, found in owners(value, steps, path)
                if test(found)
            )
        return hits


def _walk(branch: _Branch, value: Any, path: ObjectPath, hits: list[RowHit]) -> None:
    for test, row in branch.ends:
        if test(value):
            hits.append((row, Hit(path, _shown(value))))
    if isinstance(value, dict):
        _walk_keys(branch, value, path, hits)
    elif branch.items is not None and isinstance(value, list):
        for index, found in enumerate(value):
            _walk(branch.items, found, (*path, index), hits)


def _walk_keys(
    branch: _Branch, value: dict[str, Any], path: ObjectPath, hits: list[RowHit]
) -> None:
    for key, child in branch.keys.items():
        found = value.get(key)
        if found is not None:
            _walk(child, found, (*path, key), hits)
    if branch.is_wild:
        for key, found in value.items():
            for child in branch.wild_children(key):
                _walk(child, found, (*path, key), hits)


def _shown(value: Any) -> str:
    """A scalar as JSON has it; nothing of larger values."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    return value if isinstance(value, str) and len(value) <= _LONGEST_SHOWN else ""
