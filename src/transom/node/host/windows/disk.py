"""Files and directories of Windows: the primitives that `SafeFiles` composes."""

import sys

assert sys.platform == "win32"

import ctypes
import ntpath
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ctypes import wintypes
from functools import partial
from io import BufferedIOBase
from typing import TypeVar

from transom.errors import InUse, TemporaryError
from transom.node.host.sums import Sums
from transom.node.host.values import PathKind
from transom.node.host.windows.error import last_failure, translated
from transom.node.host.windows.handles import (
    INVALID_HANDLE,
    close_handle,
    flush_file_buffers,
    write_file,
)
from transom.node.host.windows.removal import backup_rights, delete_protected
from transom.node.host.windows.running import end_programs
from transom.node.host.windows.security import file_access, set_file_access

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_create_file = _kernel32.CreateFileW
_create_file.argtypes = [
    wintypes.LPCWSTR,
    wintypes.DWORD,
    wintypes.DWORD,
    ctypes.c_void_p,
    wintypes.DWORD,
    wintypes.DWORD,
    wintypes.HANDLE,
]
_create_file.restype = wintypes.HANDLE
_attributes = _kernel32.GetFileAttributesW
_attributes.argtypes = [wintypes.LPCWSTR]
_attributes.restype = wintypes.DWORD
_move_file = _kernel32.MoveFileExW
_move_file.argtypes = [wintypes.LPCWSTR, wintypes.LPCWSTR, wintypes.DWORD]
_move_file.restype = wintypes.BOOL
_DELAY_UNTIL_REBOOT = 0x4
# What a process runs or loads: Windows renames it, and neither writes, replaces nor removes it.
_IMAGES = (".exe", ".dll", ".pyd")
_NO_ATTRIBUTES = 0xFFFF_FFFF
_NOT_THERE = (2, 3)  # no such file, no such directory
_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT
_PART_BYTES = 1 << 16
_GENERIC_WRITE = 0x4000_0000
_SHARE_READ, _SHARE_ALL = 0x1, 0x7
_CREATE_ALWAYS, _OPEN_EXISTING = 2, 3
_SHARING_VIOLATION = 32
_LONG = 240  # a directory's path must leave room for the name of a file
# Scanners, backups and readers of our own hold a file for moments, in which Windows denies it to others.
_HELD_S = 5.0
_LOOK_AGAIN_S = 0.05

T = TypeVar("T")


def _named(path: str) -> str:
    r"""A path that Windows takes at any length: without `\\?\` it knows none beyond 260 characters."""
    if len(path) < _LONG or path.startswith("\\\\"):
        return path
    return "\\\\?\\" + ntpath.normpath(path)


class WindowsDisk:
    """The file system of this machine."""

    def __init__(self) -> None:
        self._sums = Sums()

    def kind(self, path: str) -> PathKind:
        # Asked more often than all else: anything more than its attributes would open the file.
        found = _attributes(_named(path))
        if found == _NO_ATTRIBUTES:
            if ctypes.get_last_error() in _NOT_THERE:
                return PathKind.ABSENT
            # What is much in use has its attributes told by its directory, which this asks too.
            try:
                found = os.lstat(_named(path)).st_file_attributes
            except FileNotFoundError:
                return PathKind.ABSENT
            except OSError as error:
                with translated("look at", path):
                    raise error from None
        if found & stat.FILE_ATTRIBUTE_REPARSE_POINT:
            return PathKind.LINK
        return PathKind.DIRECTORY if found & stat.FILE_ATTRIBUTE_DIRECTORY else PathKind.FILE

    def read(self, path: str) -> bytes:
        with translated("read", path), _opened(path, os.O_RDONLY) as number:
            parts = []
            while part := os.read(number, _PART_BYTES):
                parts.append(part)
            return b"".join(parts)

    def open(self, path: str) -> BufferedIOBase:
        with translated("read", path):
            return _when_let_go(lambda: open(_named(path), "rb"))  # noqa: PTH123 - text paths here

    def sha256(self, path: str) -> str:
        with translated("read", path):
            return self._sums.of(lambda: self.open(path))

    def size(self, path: str) -> int:
        with translated("look at", path):
            return os.stat(_named(path)).st_size  # noqa: PTH116 - text paths here

    def entries(self, path: str) -> tuple[str, ...]:
        with translated("list", path):
            try:
                names = os.listdir(_named(path))  # noqa: PTH208 - text paths here
            except PermissionError:
                # What Windows lists it opens for backup, so these rights are enough.
                with backup_rights():
                    names = os.listdir(_named(path))  # noqa: PTH208 - same
            return tuple(sorted(names))

    def acl(self, path: str) -> str:
        return file_access(_named(path))

    def create(self, path: str, *, acl: str = "") -> None:
        with translated("make", path):
            _when_let_go(lambda: open(_named(path), "wb")).close()  # noqa: PTH123, SIM115 - same
        if acl:
            self.set_acl(path, acl)

    def append(self, path: str, data: bytes) -> None:
        with translated("write", path), _opened(path, _APPENDING) as number:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(number, rest) :]

    def flush(self, path: str) -> None:
        with translated("flush", path), _opened(path, os.O_RDWR) as number:
            os.fsync(number)

    def rename(self, source: str, target: str) -> None:
        act = partial(os.replace, _named(source), _named(target))
        with translated("put in place", target):
            try:
                _unmarked(target, act)
            except PermissionError as error:
                # A scanner that holds a program for a moment looks the same: it costs a rename more.
                if target.lower().endswith(_IMAGES) and self.kind(target) is PathKind.FILE:
                    raise InUse(f"cannot replace {target}: it runs", subject=target) from error
                _when_let_go(act)

    def remove(self, path: str, *, protected: bool = False) -> None:
        kind = self.kind(path)
        with translated("remove", path):
            if kind is PathKind.LINK and _is_directory_itself(path):
                # Removes the junction, not what it points to, which may be gone.
                _remove(path, partial(os.rmdir, _named(path)), protected=protected)
            elif kind is not PathKind.ABSENT:
                _remove(path, partial(os.unlink, _named(path)), protected=protected)

    def discard(self, path: str) -> bool:
        with translated("remove", path):
            try:
                _unmarked(path, partial(os.unlink, _named(path)))
            except FileNotFoundError:
                return True
            except PermissionError:
                return False
            return True

    def remove_at_boot(self, path: str) -> None:
        if not _move_file(_named(path), None, _DELAY_UNTIL_REBOOT):
            raise last_failure("have the next boot remove", path)

    def link(self, path: str, target: str) -> None:
        with translated("make a link at", path):
            os.symlink(target, _named(path))  # noqa: PTH211 - text paths here

    def make_directory(self, path: str) -> None:
        with translated("make", path):
            os.mkdir(_named(path))  # noqa: PTH102 - text paths here

    def remove_directory(self, path: str, *, protected: bool = False) -> None:
        with translated("remove", path):
            _remove(path, partial(os.rmdir, _named(path)), protected=protected)

    def set_acl(self, path: str, sddl: str) -> None:
        set_file_access(_named(path), sddl)

    @contextmanager
    def lock(self, path: str, holder: str) -> Iterator[None]:
        handle = _create_file(path, _GENERIC_WRITE, _SHARE_READ, None, _CREATE_ALWAYS, 0, None)
        if handle == INVALID_HANDLE:
            if ctypes.get_last_error() == _SHARING_VIOLATION:
                held = self.read(path).decode("utf-8", "replace")
                raise TemporaryError(f"the host is busy: {held}", subject=path)
            raise last_failure("hold", path)
        try:
            data, written = holder.encode(), wintypes.DWORD()
            if not write_file(handle, data, len(data), ctypes.byref(written), None):
                raise last_failure("write", path)
            yield
        finally:
            close_handle(handle)

    def flush_volume(self, drive: str) -> None:
        """Return when everything written to a volume would outlive a power cut."""
        name = rf"\\.\{drive}"
        handle = _create_file(name, _GENERIC_WRITE, _SHARE_ALL, None, _OPEN_EXISTING, 0, None)
        if handle == INVALID_HANDLE:
            raise last_failure("open the volume", drive)
        try:
            if not flush_file_buffers(handle):
                raise last_failure("flush the volume", drive)
        finally:
            close_handle(handle)


@contextmanager
def _opened(path: str, how: int) -> Iterator[int]:
    """A file by its number: `open` asks several things about it first, which take longer than to read it."""
    flags = how | os.O_BINARY | os.O_NOINHERIT
    number = _when_let_go(partial(os.open, _named(path), flags, stat.S_IREAD | stat.S_IWRITE))
    try:
        yield number
    finally:
        os.close(number)


def _is_directory_itself(path: str) -> bool:
    return bool(os.lstat(_named(path)).st_file_attributes & stat.FILE_ATTRIBUTE_DIRECTORY)


def _remove(path: str, act: Callable[[], None], *, protected: bool) -> None:
    """Remove it; where its access denies that and the caller means all of it, as a backup program may."""
    if protected:
        try:
            act()
        except PermissionError:
            # What runs or is held is denied again, and is cleared below.
            with suppress(PermissionError):
                delete_protected(_named(path))
                return
        else:
            return
    _insist(path, act)


def _insist(path: str, act: Callable[[], None]) -> None:
    """Remove it; where Windows denies that, again without what may stand in the way of a path."""
    for clear_the_way in (_make_writable, end_programs):
        try:
            act()
        except PermissionError:
            clear_the_way(path)
        else:
            return
    _when_let_go(act)


def _unmarked(path: str, act: Callable[[], None]) -> None:
    """Do it; where Windows denies that, again after the path is no longer marked as read-only."""
    try:
        act()
    except PermissionError:
        _make_writable(path)
        act()


def _when_let_go(act: Callable[[], T]) -> T:
    """Do it as soon as nobody else holds the file, or raise what Windows says when they hold it too long."""
    deadline = time.monotonic() + _HELD_S
    while True:
        try:
            return act()
        except PermissionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_LOOK_AGAIN_S)


def _make_writable(path: str) -> None:
    """A file or directory that is marked as read-only is neither replaced nor removed."""
    with suppress(FileNotFoundError):
        os.chmod(_named(path), stat.S_IWRITE)  # noqa: PTH101 - text paths here
