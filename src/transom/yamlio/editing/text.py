"""A document's text with changes made, proven to mean what the changes say and nothing else.

The entrance of the package. Changes that cannot be made are given back with the reason, and the
others are made all the same.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from yaml.nodes import MappingNode, Node

from transom.errors import InvalidDocument
from transom.model.records import dataclass
from transom.yamlio.document import Document
from transom.yamlio.editing.change import (
    Append,
    Edit,
    ObjectPath,
    Remove,
    Rename,
    Replace,
    Set,
    change,
)
from transom.yamlio.editing.insertion import append_item, replace_scalar, set_key
from transom.yamlio.editing.layout import CannotEdit, Entry, Layout, Splice
from transom.yamlio.editing.removal import check_removable, remove_keys
from transom.yamlio.loader import load

_WOULD_CHANGE_MORE = "the text around it does not allow the change without changing more"


@dataclass(frozen=True, slots=True)
class Refused:
    """A change that was not made, and why."""

    edit: Edit
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The document after the changes that could be made."""

    document: Document
    made: tuple[Edit, ...]
    refused: tuple[Refused, ...]


def edit(document: Document, edits: Sequence[Edit]) -> Outcome:
    """Make the changes: first all that take away or replace, then what is added, in order."""
    made: list[Edit] = []
    refused: list[Refused] = []
    current = document
    first = [wanted for wanted in edits if not isinstance(wanted, Set | Append)]
    added = [wanted for wanted in edits if isinstance(wanted, Set | Append)]
    for stage in (first, added):
        later: Sequence[Edit] = stage
        while later:
            batch = _Batch(Layout(current))
            later = batch.plan(later)
            current, done, failed = _apply(current, batch)
            made += done
            refused += (*batch.refused, *failed)
    return Outcome(current, tuple(made), tuple(refused))


def _apply(document: Document, batch: "_Batch") -> tuple[Document, list[Edit], list[Refused]]:
    if not batch.planned:
        return document, [], []
    expected = document.value
    for planned in batch.planned:
        expected = change(expected, planned)
    changed = _reload(document, _spliced(batch.layout.source, batch.splices))
    if changed is not None and changed.value == expected:
        return changed, batch.planned, []
    if len(batch.planned) > 1:
        return _apply_singly(document, batch.planned)
    return document, [], [Refused(batch.planned[0], _WOULD_CHANGE_MORE)]


def _apply_singly(
    document: Document, edits: Sequence[Edit]
) -> tuple[Document, list[Edit], list[Refused]]:
    made: list[Edit] = []
    refused: list[Refused] = []
    for wanted in edits:
        outcome = edit(document, [wanted])
        document = outcome.document
        made += outcome.made
        refused += outcome.refused
    return document, made, refused


def _reload(document: Document, text: str) -> Document | None:
    try:
        loaded = load(text, name=document.name)
    except InvalidDocument:
        return None
    if len(loaded) != 1:
        return None
    loaded[0].take_place_of(document)
    return loaded[0]


def _spliced(source: str, splices: Iterable[Splice]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end, text in sorted(splices):
        pieces += (source[position:start], text)
        position = max(position, end)
    return "".join((*pieces, source[position:]))


class _Batch:
    """Changes that can be made in one pass, because no two of them touch the same text."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.planned: list[Edit] = []
        self.refused: list[Refused] = []
        self.splices: list[Splice] = []
        self._touched: set[int] = set()
        self._losers: dict[int, _Loser] = {}

    def plan(self, edits: Sequence[Edit]) -> list[Edit]:
        """Take what fits into this pass; give back what must wait for the next."""
        later: list[Edit] = []
        removed = {wanted.path for wanted in edits if isinstance(wanted, Remove)}
        for wanted in edits:
            if _is_below(wanted.path, removed):
                continue
            try:
                if not self._take(wanted):
                    later.append(wanted)
            except CannotEdit as problem:
                self.refused.append(Refused(wanted, problem.reason))
        for loser in self._losers.values():
            self._remove(loser)
        return later

    def _take(self, wanted: Edit) -> bool:
        match wanted:
            case Remove(path):
                entry, parent = self._entry(path)
                check_removable(self.layout, entry)
                loser = self._losers.setdefault(id(entry.owner), _Loser(entry.owner, parent, {}))
                loser.edits[entry.number] = wanted
                return True
            case Replace(path, value):
                node = self.layout.find(path)
                if node is None:
                    raise CannotEdit("it is not there")
                self.splices.append(replace_scalar(self.layout, node, value))
            case Rename(path, name):
                key = self._entry(path)[0].key
                self.splices.append(replace_scalar(self.layout, key, name))
            case Set(path, value):
                return self._add(wanted, *set_key(self.layout, path, value))
            case Append(path, value):
                return self._add(wanted, *append_item(self.layout, path, value))
        self.planned.append(wanted)
        return True

    def _add(self, wanted: Edit, node: Node, splice: Splice) -> bool:
        if id(node) in self._touched:
            return False
        self._touched.add(id(node))
        self.splices.append(splice)
        self.planned.append(wanted)
        return True

    def _remove(self, loser: "_Loser") -> None:
        try:
            self.splices += remove_keys(self.layout, loser.owner, loser.edits, parent=loser.parent)
        except CannotEdit as problem:
            self.refused += (Refused(wanted, problem.reason) for wanted in loser.edits.values())
        else:
            self.planned += loser.edits.values()

    def _entry(self, path: ObjectPath) -> tuple[Entry, Node | None]:
        """The entry at a path, and the key that holds its mapping."""
        owner = self.layout.find(path[:-1])
        entry = self.layout.entry(owner, str(path[-1])) if owner is not None else None
        if owner is None or entry is None:
            raise CannotEdit("it is not there")
        self.layout.own(owner)
        if len(path) == 1 or isinstance(path[-2], int):
            return entry, None
        holder = self.layout.find(path[:-2])
        held = self.layout.entry(holder, path[-2]) if holder is not None else None
        return entry, held.key if held is not None else None


class _Loser(NamedTuple):
    """A mapping that loses keys, the key that holds it, and the changes by number."""

    owner: MappingNode
    parent: Node | None
    edits: dict[int, Remove]


def _is_below(path: ObjectPath, removed: set[ObjectPath]) -> bool:
    return any(path[:length] in removed for length in range(1, len(path)))
