"""Files and directories of Windows: the primitives that `SafeFiles` composes."""

import sys

assert sys.platform == "win32"

import ctypes
import ntpath
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from ctypes import wintypes
from functools import partial
from io import BufferedIOBase
from typing import TypeVar

from transom.errors import TemporaryError
from transom.node.host.once import begin
from transom.node.host.sums import Sums
from transom.node.host.values import PathKind
from transom.node.host.windows_error import last_failure, translated
from transom.node.host.windows_handles import (
    INVALID_HANDLE,
    close_handle,
    flush_file_buffers,
    write_file,
)
from transom.node.host.windows_running import end_programs
from transom.node.host.windows_security import file_access, set_file_access

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
        try:
            found = os.lstat(_named(path))
        except FileNotFoundError:
            return PathKind.ABSENT
        except OSError as error:
            with translated("look at", path):
                raise error from None
        if found.st_file_attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT:
            return PathKind.LINK
        return PathKind.DIRECTORY if stat.S_ISDIR(found.st_mode) else PathKind.FILE

    def read(self, path: str) -> bytes:
        with translated("read", path), self.open(path) as stream:
            return stream.read()

    def open(self, path: str) -> BufferedIOBase:
        with translated("read", path):
            return _when_let_go(lambda: open(_named(path), "rb"))  # noqa: PTH123 - text paths here

    def sha256(self, path: str) -> str:
        with translated("read", path):
            return self._sums.of(lambda: self.open(path))

    def sum_ahead(self, paths: Sequence[str]) -> None:
        """Begin to sum files, beside all else; whoever asks for one of these sums waits for it."""
        begin(self.sha256, paths, at_once=os.cpu_count() or 1)

    def size(self, path: str) -> int:
        with translated("look at", path):
            return os.stat(_named(path)).st_size  # noqa: PTH116 - text paths here

    def entries(self, path: str) -> tuple[str, ...]:
        with translated("list", path):
            return tuple(sorted(os.listdir(_named(path))))  # noqa: PTH208 - text paths here

    def acl(self, path: str) -> str:
        return file_access(_named(path))

    def create(self, path: str, *, acl: str = "") -> None:
        with translated("make", path):
            _when_let_go(lambda: open(_named(path), "wb")).close()  # noqa: PTH123, SIM115 - same
        if acl:
            self.set_acl(path, acl)

    def append(self, path: str, data: bytes) -> None:
        with (
            translated("write", path),
            _when_let_go(lambda: open(_named(path), "ab")) as stream,  # noqa: PTH123 - same
        ):
            stream.write(data)

    def flush(self, path: str) -> None:
        with translated("flush", path):
            number = _when_let_go(partial(os.open, _named(path), os.O_RDWR | os.O_BINARY))
            try:
                os.fsync(number)
            finally:
                os.close(number)

    def rename(self, source: str, target: str) -> None:
        with translated("put in place", target):
            _insist(target, partial(os.replace, _named(source), _named(target)))

    def remove(self, path: str) -> None:
        kind = self.kind(path)
        with translated("remove", path):
            if kind is PathKind.LINK and os.path.isdir(_named(path)):  # noqa: PTH112 - text paths here
                os.rmdir(_named(path))  # noqa: PTH106 - removes the junction, not what it points to
            elif kind is not PathKind.ABSENT:
                _insist(path, partial(os.unlink, _named(path)))

    def make_directory(self, path: str) -> None:
        with translated("make", path):
            os.mkdir(_named(path))  # noqa: PTH102 - text paths here

    def remove_directory(self, path: str) -> None:
        with translated("remove", path):
            _insist(path, partial(os.rmdir, _named(path)))

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


def _insist(path: str, act: Callable[[], None]) -> None:
    """Do it; where Windows denies that, again without what may stand in the way of a path."""
    for clear_the_way in (_make_writable, end_programs):
        try:
            act()
        except PermissionError:
            clear_the_way(path)
        else:
            return
    _when_let_go(act)


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
