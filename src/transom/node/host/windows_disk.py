"""Files and directories of Windows: the primitives that `SafeFiles` composes."""

import sys

assert sys.platform == "win32"

import ctypes
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import wintypes
from io import BufferedIOBase

from transom.errors import TemporaryError
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


class WindowsDisk:
    """The file system of this machine."""

    def kind(self, path: str) -> PathKind:
        try:
            found = os.lstat(path)
        except FileNotFoundError:
            return PathKind.ABSENT
        except OSError as error:
            with translated("look at", path):
                raise error from None
        if found.st_file_attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT:
            return PathKind.LINK
        return PathKind.DIRECTORY if stat.S_ISDIR(found.st_mode) else PathKind.FILE

    def read(self, path: str) -> bytes:
        with translated("read", path), open(path, "rb") as stream:  # noqa: PTH123 - text paths here
            return stream.read()

    def open(self, path: str) -> BufferedIOBase:
        with translated("read", path):
            return open(path, "rb")  # noqa: PTH123 - whoever asked closes it

    def size(self, path: str) -> int:
        with translated("look at", path):
            return os.stat(path).st_size  # noqa: PTH116 - text paths here

    def entries(self, path: str) -> tuple[str, ...]:
        with translated("list", path):
            return tuple(sorted(os.listdir(path)))  # noqa: PTH208 - text paths here

    def acl(self, path: str) -> str:
        return file_access(path)

    def create(self, path: str, *, acl: str = "") -> None:
        with translated("make", path), open(path, "wb"):  # noqa: PTH123 - text paths here
            pass
        if acl:
            self.set_acl(path, acl)

    def append(self, path: str, data: bytes) -> None:
        with translated("write", path), open(path, "ab") as stream:  # noqa: PTH123 - same
            stream.write(data)

    def flush(self, path: str) -> None:
        with translated("flush", path):
            number = os.open(path, os.O_RDWR | os.O_BINARY)
            try:
                os.fsync(number)
            finally:
                os.close(number)

    def rename(self, source: str, target: str) -> None:
        with translated("put in place", target):
            try:
                os.replace(source, target)  # noqa: PTH105 - text paths here
            except PermissionError:
                if not end_programs(target):
                    raise
                os.replace(source, target)  # noqa: PTH105 - same

    def remove(self, path: str) -> None:
        kind = self.kind(path)
        with translated("remove", path):
            if kind is PathKind.LINK and os.path.isdir(path):  # noqa: PTH112 - text paths here
                os.rmdir(path)  # noqa: PTH106 - removes the junction, not what it points to
            elif kind is not PathKind.ABSENT:
                os.chmod(path, stat.S_IWRITE)  # noqa: PTH101 - read-only files refuse to go
                try:
                    os.unlink(path)  # noqa: PTH108 - text paths here
                except PermissionError:
                    if not end_programs(path):
                        raise
                    os.unlink(path)  # noqa: PTH108 - same

    def make_directory(self, path: str) -> None:
        with translated("make", path):
            os.mkdir(path)  # noqa: PTH102 - text paths here

    def remove_directory(self, path: str) -> None:
        with translated("remove", path):
            os.rmdir(path)  # noqa: PTH106 - text paths here

    def set_acl(self, path: str, sddl: str) -> None:
        set_file_access(path, sddl)

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
