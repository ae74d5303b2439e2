"""A disk in memory that forgets: what was not flushed may be lost, or half lost, in a power cut.

A cut keeps any subset of the changes since the last flush, and of an
unflushed append any part. As on Windows, `kind` tells of a symbolic link itself and reading follows it.
"""

import contextlib
import hashlib
import io
import ntpath
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from io import BufferedIOBase

from transom.errors import InUse, PermanentError, TemporaryError
from transom.model import records
from transom.node.host.values import PathKind
from transom.testing.faults import Calls

_MOST_LINKS = 63  # on one path: learn.microsoft.com fileio/symbolic-link-programming-considerations
# What the files of an image layer have: their image's own access, which lets SYSTEM only read.
LAYER = (
    "O:S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464G:SYD:PAI"
    "(A;;FA;;;S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464)"
    "(A;;0x1200a9;;;SY)(A;;0x1200a9;;;BA)(A;;0x1200a9;;;BU)"
)
_FULL = re.compile(r"\(A;[^;]*;(FA|GA);;;(SY|BA|WD)\)")
INHERITED = "O:BAG:BAD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1200a9;;;BU)"


@records.dataclass(frozen=True, slots=True)
class Entry:
    """A file, directory or link with its access; the data of a link is where it leads."""

    kind: PathKind
    path: str
    data: bytes = b""
    acl: str = INHERITED


@records.dataclass(frozen=True, slots=True)
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
    """Files and directories by path, as Windows compares paths.

    `images` are the programs and libraries that processes run or have loaded, by key, with those
    processes; `doomed` is what the next boot removes.
    """

    calls: Calls
    durable: dict[str, Entry] = field(default_factory=dict)
    pending: list[Change] = field(default_factory=list)
    locks: dict[str, str] = field(default_factory=dict)
    images: dict[str, set[str]] = field(default_factory=dict)
    doomed: list[str] = field(default_factory=list)
    _seen: dict[str, Entry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.durable["c:\\"] = Entry(PathKind.DIRECTORY, "C:\\")
        self._seen = dict(self.durable)

    def kind(self, path: str) -> PathKind:
        self.calls.looked()
        return self._kind(path)

    def read(self, path: str) -> bytes:
        self.calls.looked()
        return self._file(self._led(path)).data

    def open(self, path: str) -> BufferedIOBase:
        return io.BytesIO(self.read(path))

    def sha256(self, path: str) -> str:
        return hashlib.sha256(self.read(path)).hexdigest()

    def size(self, path: str) -> int:
        return len(self.read(path))

    def entries(self, path: str) -> tuple[str, ...]:
        self.calls.looked()
        self._need_directory("list", path)
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
        self._need_idle(path)
        self._change("append", Change("append", key_of(path), data=data))

    def rename(self, source: str, target: str) -> None:
        self._file(source)
        self._need_parent(target)
        if self._kind(target) is PathKind.DIRECTORY:
            raise PermanentError(f"cannot replace {target}: it is a directory", subject=target)
        self._need_idle(target)
        entry = Entry(PathKind.FILE, target)
        self._change("rename", Change("rename", key_of(target), entry, source=key_of(source)))
        if key_of(source) in self.images:
            self.images[key_of(target)] = self.images.pop(key_of(source))

    def remove(self, path: str, *, protected: bool = False) -> None:
        if self._kind(path) is PathKind.DIRECTORY:
            raise PermanentError(f"cannot remove {path}: it is a directory", subject=path)
        if self._kind(path) is not PathKind.ABSENT:
            self._need_idle(path)
            if not protected:
                self._need_right_to_delete(path)
            self._change("remove", Change("remove", key_of(path)))

    def discard(self, path: str) -> bool:
        if key_of(path) in self.images:
            self.calls.looked()
            return False
        self.remove(path)
        return True

    def remove_at_boot(self, path: str) -> None:
        self.calls.made(f"doom {key_of(path)}", lambda: self.doomed.append(path))

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

    def remove_directory(self, path: str, *, protected: bool = False) -> None:
        self._need_directory("remove", path)
        if self._names(path):
            raise PermanentError(f"cannot remove {path}: it is not empty", subject=path)
        if not protected:
            self._need_right_to_delete(path)
        self._change("rmdir", Change("remove", key_of(path)))

    def set_acl(self, path: str, sddl: str) -> None:
        self._entry(path)
        self._change("acl", Change("acl", key_of(path), acl=sddl))

    def flush(self, path: str) -> None:
        self._file(path)
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

    def files(self, ending: str) -> list[Entry]:
        """The files whose names end so."""
        return [entry for key, entry in self._seen.items() if key.endswith(ending)]

    def run_image(self, process: str, path: str) -> None:
        """Let a process run a program, or load a library."""
        self.images.setdefault(key_of(path), set()).add(process)

    def end_images(self, process: str) -> None:
        """Let a process end."""
        running = {key: processes - {process} for key, processes in self.images.items()}
        self.images = {key: processes for key, processes in running.items() if processes}

    def boot(self) -> None:
        """End every process, and remove what was to be removed at the next boot."""
        self.images = {}
        for path in self.doomed:
            apply_change(self.durable, Change("remove", key_of(path)))
            apply_change(self._seen, Change("remove", key_of(path)))
        self.doomed = []

    def flush_all(self) -> None:
        """Make everything durable."""
        self.durable, self.pending = dict(self._seen), []

    def cut(self, chance: random.Random) -> None:
        """Lose a random subset of what was not flushed, and of what the registry says about the next boot."""
        self.locks.clear()
        self.doomed = [path for path in self.doomed if chance.random() < 1 / 2]
        for change in self.pending:
            if change.act == "append" and chance.random() < 1 / 3:
                torn = change.data[: chance.randrange(len(change.data) + 1)]
                apply_change(self.durable, replace(change, data=torn))
            elif chance.random() < 1 / 2:
                apply_change(self.durable, change)
        self._drop_orphans()
        self._seen, self.pending = dict(self.durable), []

    def tree(self, *, without: str | tuple[str, ...]) -> dict[str, tuple[str, bytes, str]]:
        """Everything on the disk but some directories, for comparing."""
        paths = (without,) if isinstance(without, str) else without
        left_out = tuple(key_of(path) for path in paths)
        return {
            key: (entry.kind.value, entry.data, entry.acl)
            for key, entry in self._seen.items()
            if not any(key == path or key.startswith(path + "\\") for path in left_out)
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
            # A name that was moved away before it was given anew is moved away on the disk as well.
            if change.key in wanted or change.source in wanted:
                apply_change(self.durable, change)
            else:
                kept.append(change)
        self.pending = kept

    def _drop_orphans(self) -> None:
        for key in sorted(self.durable, key=len):
            if any(parent not in self.durable for parent in parents_of(key)):
                del self.durable[key]

    def _led(self, path: str, most: int = _MOST_LINKS) -> str:
        """Where a path ends once every link on the way and at its end is followed."""
        key = key_of(path)
        for there in (*reversed(parents_of(key)), key):
            entry = self._seen.get(there)
            if entry is None or entry.kind is not PathKind.LINK:
                continue
            if not most:
                raise PermanentError(f"cannot find {path}: it leads in a circle", subject=path)
            target = ntpath.join(ntpath.dirname(there), entry.data.decode())
            return self._led(ntpath.join(target, ntpath.relpath(key, there)), most - 1)
        return path

    def _kind(self, path: str) -> PathKind:
        above = ntpath.dirname(path)
        led = self._led(above)
        entry = self._seen.get(
            key_of(path if led is above else ntpath.join(led, ntpath.basename(path)))
        )
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
        key = key_of(self._led(path))
        return tuple(
            sorted(
                ntpath.basename(entry.path)
                for other, entry in self._seen.items()
                if other != key and ntpath.dirname(other) == key
            )
        )

    def _need_idle(self, path: str) -> None:
        """Windows neither writes, replaces nor removes a program that runs or a library in use.

        It does give it another name.
        """
        if key_of(path) in self.images:
            raise InUse(f"cannot change {path}: a process runs it", subject=path)

    def _need_right_to_delete(self, path: str) -> None:
        """Windows asks for it on the file itself, or on the directory for what is in it."""
        above = self._seen.get(key_of(ntpath.dirname(path)))
        if not any(entry and _FULL.search(entry.acl) for entry in (self._entry(path), above)):
            raise PermanentError(f"cannot remove {path}: Access is denied. (error 5)", subject=path)

    def _need_directory(self, doing: str, path: str) -> None:
        """Windows takes a missing directory, or a file in its place, for an error."""
        if self._kind(path) is not PathKind.DIRECTORY:
            raise PermanentError(f"cannot {doing} {path}: there is no directory", subject=path)

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
