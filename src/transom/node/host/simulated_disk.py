"""A disk in memory that forgets: what was not flushed may be lost, or half lost, in a power cut.

Used by the simulated host. A cut keeps any subset of the changes since the last flush, and of an
unflushed append any part.
"""

import contextlib
import hashlib
import io
import ntpath
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from io import BufferedIOBase

from transom.errors import PermanentError, TemporaryError
from transom.node.host.faults import Calls
from transom.node.host.values import PathKind

INHERITED = "O:BAG:BAD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1200a9;;;BU)"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, directory or link with its access."""

    kind: PathKind
    path: str
    data: bytes = b""
    acl: str = INHERITED


@dataclass(frozen=True, slots=True)
class Change:
    """One unflushed change: an entry put at a key, removed from it, appended to, or moved."""

    act: str
    key: str
    entry: Entry | None = None
    data: bytes = b""
    source: str = ""
    acl: str = ""


def apply_change(entries: dict[str, Entry], change: Change) -> None:
    """Make one change; one that no longer fits, because an earlier one was lost, is lost too."""
    there = entries.get(change.key)
    if change.act == "put" and change.entry is not None:
        entries[change.key] = change.entry
    elif change.act == "remove":
        entries.pop(change.key, None)
    elif change.act == "append" and there is not None:
        entries[change.key] = replace(there, data=there.data + change.data)
    elif change.act == "acl" and there is not None:
        entries[change.key] = replace(there, acl=change.acl)
    elif change.act == "rename" and change.source in entries and change.entry is not None:
        moved = entries.pop(change.source)
        entries[change.key] = replace(moved, path=change.entry.path)


@dataclass
class SimulatedDisk:
    """Files and directories by path, as Windows compares paths."""

    calls: Calls
    durable: dict[str, Entry] = field(default_factory=dict)
    pending: list[Change] = field(default_factory=list)
    locks: dict[str, str] = field(default_factory=dict)
    runs: Callable[[str], bool] = lambda _path: False
    _seen: dict[str, Entry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.durable["c:\\"] = Entry(PathKind.DIRECTORY, "C:\\")
        self._seen = dict(self.durable)

    def kind(self, path: str) -> PathKind:
        self.calls.looked()
        return self._kind(path)

    def read(self, path: str) -> bytes:
        self.calls.looked()
        return self._file(path).data

    def open(self, path: str) -> BufferedIOBase:
        return io.BytesIO(self.read(path))

    def sha256(self, path: str) -> str:
        return hashlib.sha256(self.read(path)).hexdigest()

    def size(self, path: str) -> int:
        return len(self.read(path))

    def entries(self, path: str) -> tuple[str, ...]:
        self.calls.looked()
        return self._names(path)

    def acl(self, path: str) -> str:
        self.calls.looked()
        return self._entry(path).acl

    def create(self, path: str, *, acl: str = "") -> None:
        self._need_parent(path)
        self._need_idle(path)
        entry = Entry(PathKind.FILE, path, b"", acl or INHERITED)
        self._change("create", Change("put", key_of(path), entry))

    def append(self, path: str, data: bytes) -> None:
        if self._kind(path) is PathKind.ABSENT:
            self.create(path)
        self._change("append", Change("append", key_of(path), data=data))

    def rename(self, source: str, target: str) -> None:
        self._file(source)
        self._need_parent(target)
        self._need_idle(target)
        entry = Entry(PathKind.FILE, target)
        self._change("rename", Change("rename", key_of(target), entry, source=key_of(source)))

    def remove(self, path: str) -> None:
        if self._kind(path) is PathKind.DIRECTORY:
            raise PermanentError(f"cannot remove {path}: it is a directory", subject=path)
        if self._kind(path) is not PathKind.ABSENT:
            self._need_idle(path)
            self._change("remove", Change("remove", key_of(path)))

    def link(self, path: str, target: str) -> None:
        self._need_parent(path)
        if self._kind(path) is not PathKind.ABSENT:
            raise PermanentError(f"cannot make a link at {path}: it is there", subject=path)
        entry = Entry(PathKind.LINK, path, target.encode())
        self._change("link", Change("put", key_of(path), entry))

    def make_directory(self, path: str) -> None:
        self._need_parent(path)
        if self._kind(path) is not PathKind.ABSENT:
            raise PermanentError(f"cannot make {path}: it is there", subject=path)
        self._change("mkdir", Change("put", key_of(path), Entry(PathKind.DIRECTORY, path)))

    def remove_directory(self, path: str) -> None:
        if self._names(path):
            raise PermanentError(f"cannot remove {path}: it is not empty", subject=path)
        self._change("rmdir", Change("remove", key_of(path)))

    def set_acl(self, path: str, sddl: str) -> None:
        self._entry(path)
        self._change("acl", Change("acl", key_of(path), acl=sddl))

    def flush(self, path: str) -> None:
        self.calls.made("flush", lambda: self._flush(key_of(path)))

    @contextlib.contextmanager
    def lock(self, path: str, holder: str) -> Iterator[None]:
        key = key_of(path)
        if key in self.locks:
            raise TemporaryError(f"the host is busy: {self.locks[key]}", subject=path)
        self.locks[key] = holder
        try:
            yield
        finally:
            self.locks.pop(key, None)

    def flush_all(self) -> None:
        """Make everything durable."""
        self.durable, self.pending = dict(self._seen), []

    def cut(self, chance: random.Random) -> None:
        """Lose a random subset of what was not flushed."""
        self.locks.clear()
        for change in self.pending:
            if change.act == "append" and chance.random() < 1 / 3:
                torn = change.data[: chance.randrange(len(change.data) + 1)]
                apply_change(self.durable, replace(change, data=torn))
            elif chance.random() < 1 / 2:
                apply_change(self.durable, change)
        self._drop_orphans()
        self._seen, self.pending = dict(self.durable), []

    def tree(self, *, without: str) -> dict[str, tuple[str, bytes, str]]:
        """Everything on the disk but one directory, for comparing."""
        left_out = key_of(without)
        return {
            key: (entry.kind.value, entry.data, entry.acl)
            for key, entry in self._seen.items()
            if key != left_out and not key.startswith(left_out + "\\")
        }

    def _change(self, name: str, change: Change) -> None:
        def act() -> None:
            apply_change(self._seen, change)
            self.pending.append(change)

        self.calls.made(f"{name} {change.key}", act)

    def _flush(self, key: str) -> None:
        wanted = {key, *parents_of(key)}
        kept = []
        for change in self.pending:
            if change.key in wanted:
                apply_change(self.durable, change)
            else:
                kept.append(change)
        self.pending = kept

    def _drop_orphans(self) -> None:
        for key in sorted(self.durable, key=len):
            if any(parent not in self.durable for parent in parents_of(key)):
                del self.durable[key]

    def _kind(self, path: str) -> PathKind:
        entry = self._seen.get(key_of(path))
        return PathKind.ABSENT if entry is None else entry.kind

    def _entry(self, path: str) -> Entry:
        entry = self._seen.get(key_of(path))
        if entry is None:
            raise PermanentError(f"cannot find {path}", subject=path)
        return entry

    def _file(self, path: str) -> Entry:
        entry = self._entry(path)
        if entry.kind is PathKind.LINK:  # which Windows follows for whoever reads
            return self._file(entry.data.decode())
        if entry.kind is not PathKind.FILE:
            raise PermanentError(f"{path} is not a file", subject=path)
        return entry

    def _names(self, path: str) -> tuple[str, ...]:
        key = key_of(path)
        return tuple(
            sorted(
                ntpath.basename(entry.path)
                for other, entry in self._seen.items()
                if other != key and ntpath.dirname(other) == key
            )
        )

    def _need_idle(self, path: str) -> None:
        """Windows neither replaces nor removes a program that runs."""
        if self.runs(path):
            raise TemporaryError(f"cannot change {path}: some program has it open", subject=path)

    def _need_parent(self, path: str) -> None:
        if self._kind(ntpath.dirname(path)) is not PathKind.DIRECTORY:
            raise PermanentError(f"cannot make {path}: its directory is missing", subject=path)


@cache
def key_of(path: str) -> str:
    """A path as Windows compares it; one without a drive is on C:."""
    normal = ntpath.normpath(path)
    drive, _ = ntpath.splitdrive(normal)
    return (normal if drive else "C:" + normal).lower()


@cache
def parents_of(key: str) -> tuple[str, ...]:
    """The keys of the directories above."""
    found = []
    while (parent := ntpath.dirname(key)) != key:
        found.append(parent)
        key = parent
    return tuple(found)
