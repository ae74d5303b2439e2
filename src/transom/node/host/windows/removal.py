"""Deletes what its access list keeps even from SYSTEM, with the rights of whoever restores backups.

The files of image layers keep the access of their image: TrustedInstaller owns them and SYSTEM may only
read. With SeRestorePrivilege a handle that is opened for backup may delete whatever the list says, and
with SeBackupPrivilege it may list (Windows' own deletion of layers does the same). Links are opened
themselves, never followed. Imported on Windows only.
"""

import sys

assert sys.platform == "win32"

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import wintypes
from typing import Any, ClassVar

from transom.node.host.windows.handles import INVALID_HANDLE, close_handle

_PRIVILEGES = ("SeBackupPrivilege", "SeRestorePrivilege")
_ADJUST, _QUERY, _ENABLED = 0x20, 0x8, 0x2
_DELETE, _WRITE_ATTRIBUTES, _SHARE_ALL, _OPEN_EXISTING = 0x0001_0000, 0x100, 0x7, 3
_FOR_BACKUP, _LINK_ITSELF = 0x0200_0000, 0x0020_0000
_BASIC, _DISPOSITION, _DISPOSITION_EX = 0, 4, 21
_NORMAL = 0x80
_WITH_NAME_AT_ONCE = 0x1 | 0x2 | 0x10  # delete, POSIX semantics, also what is read-only
_UNKNOWN_HERE = (1, 50, 87)  # file systems without POSIX semantics, such as older ReFS

Fields = Sequence[tuple[str, Any]]


class _Basic(ctypes.Structure):
    """FILE_BASIC_INFO: times, of which zero changes nothing, and attributes."""

    _fields_: ClassVar[Fields] = (
        ("times", ctypes.c_int64 * 4),
        ("attributes", wintypes.DWORD),
    )


class _Identity(ctypes.Structure):
    _fields_: ClassVar[Fields] = (("low", wintypes.DWORD), ("high", wintypes.LONG))


class _Privilege(ctypes.Structure):
    _fields_: ClassVar[Fields] = (("identity", _Identity), ("attributes", wintypes.DWORD))


class _Privileges(ctypes.Structure):
    _fields_: ClassVar[Fields] = (
        ("count", wintypes.DWORD),
        ("items", _Privilege * len(_PRIVILEGES)),
    )


_advapi32 = ctypes.WinDLL("advapi32", use_last_error=True)
_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_open_token = _advapi32.OpenProcessToken
_open_token.argtypes = [wintypes.HANDLE, wintypes.DWORD, ctypes.POINTER(wintypes.HANDLE)]
_open_token.restype = wintypes.BOOL
_look_up = _advapi32.LookupPrivilegeValueW
_look_up.argtypes = [wintypes.LPCWSTR, wintypes.LPCWSTR, ctypes.POINTER(_Identity)]
_look_up.restype = wintypes.BOOL
_adjust = _advapi32.AdjustTokenPrivileges
_adjust.argtypes = [
    wintypes.HANDLE,
    wintypes.BOOL,
    ctypes.POINTER(_Privileges),
    wintypes.DWORD,
    ctypes.POINTER(_Privileges),
    ctypes.POINTER(wintypes.DWORD),
]
_adjust.restype = wintypes.BOOL
_current_process = _kernel32.GetCurrentProcess
_current_process.argtypes = []
_current_process.restype = wintypes.HANDLE
_create_file = _kernel32.CreateFileW
_create_file.argtypes = [
    *(wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, ctypes.c_void_p),
    *(wintypes.DWORD, wintypes.DWORD, wintypes.HANDLE),
]
_create_file.restype = wintypes.HANDLE
_set_information = _kernel32.SetFileInformationByHandle
_set_information.argtypes = [wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD]
_set_information.restype = wintypes.BOOL


def delete_protected(path: str) -> None:
    """Delete a file, a link or an empty directory; raise OSError where even this is denied."""
    with backup_rights(), _opened(path) as handle:
        flags = wintypes.DWORD(_WITH_NAME_AT_ONCE)
        if _set(handle, _DISPOSITION_EX, flags):
            return
        if ctypes.get_last_error() not in _UNKNOWN_HERE:
            raise _error()
        # The older way minds what is marked as read-only.
        writable = _set(handle, _BASIC, _Basic(attributes=_NORMAL))
        if not (writable and _set(handle, _DISPOSITION, wintypes.BYTE(1))):
            raise _error()


@contextmanager
def backup_rights() -> Iterator[None]:
    """Have the rights of a backup program as long as needed; without them Windows denies what follows."""
    token = wintypes.HANDLE()
    if not _open_token(_current_process(), _ADJUST | _QUERY, ctypes.byref(token)):
        raise _error()
    try:
        wanted, before = _Privileges(count=len(_PRIVILEGES)), _Privileges()
        for item, name in zip(wanted.items, _PRIVILEGES, strict=True):
            if not _look_up(None, name, ctypes.byref(item.identity)):
                raise _error()
            item.attributes = _ENABLED
        size = wintypes.DWORD()
        held = (ctypes.byref(before), ctypes.byref(size))
        if not _adjust(token, False, ctypes.byref(wanted), ctypes.sizeof(before), *held):
            raise _error()
        try:
            yield
        finally:
            _adjust(token, False, ctypes.byref(before), 0, None, None)
    finally:
        close_handle(token)


@contextmanager
def _opened(path: str) -> Iterator[int]:
    how = _FOR_BACKUP | _LINK_ITSELF
    rights = _DELETE | _WRITE_ATTRIBUTES
    handle = _create_file(path, rights, _SHARE_ALL, None, _OPEN_EXISTING, how, None)
    if handle == INVALID_HANDLE:
        raise _error()
    try:
        yield handle
    finally:
        close_handle(handle)


def _set(handle: int, what: int, value: "_Basic | ctypes._SimpleCData[int]") -> bool:
    return bool(_set_information(handle, what, ctypes.byref(value), ctypes.sizeof(value)))


def _error() -> OSError:
    return ctypes.WinError(ctypes.get_last_error())
