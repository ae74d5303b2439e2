"""Security descriptors of files, and the rights of this process, through advapi32."""

import sys

assert sys.platform == "win32"

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import wintypes

from transom.node.host.windows.error import failure, last_failure
from transom.node.host.windows.handles import close_handle

_advapi32 = ctypes.WinDLL("advapi32", use_last_error=True)
_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)

_SE_FILE_OBJECT = 1
_REVISION = 1
_OWNER, _GROUP, _DACL = 0x1, 0x2, 0x4
_PROTECTED, _UNPROTECTED = 0x8000_0000, 0x2000_0000
_SE_DACL_PROTECTED = 0x1000
_TOKEN_QUERY = 0x8
_TOKEN_ELEVATION = 20

_void = ctypes.c_void_p
_out = ctypes.POINTER(ctypes.c_void_p)

_from_text = _advapi32.ConvertStringSecurityDescriptorToSecurityDescriptorW
_from_text.argtypes = [wintypes.LPCWSTR, wintypes.DWORD, _out, ctypes.POINTER(wintypes.ULONG)]
_from_text.restype = wintypes.BOOL
_to_text = _advapi32.ConvertSecurityDescriptorToStringSecurityDescriptorW
_to_text.argtypes = [_void, wintypes.DWORD, wintypes.DWORD, _out, ctypes.POINTER(wintypes.ULONG)]
_to_text.restype = wintypes.BOOL
_get_named = _advapi32.GetNamedSecurityInfoW
_get_named.argtypes = [wintypes.LPCWSTR, ctypes.c_int, wintypes.DWORD, _out, _out, _out, _out, _out]
_get_named.restype = wintypes.DWORD
_set_named = _advapi32.SetNamedSecurityInfoW
_set_named.argtypes = [wintypes.LPWSTR, ctypes.c_int, wintypes.DWORD, _void, _void, _void, _void]
_set_named.restype = wintypes.DWORD
_get_dacl = _advapi32.GetSecurityDescriptorDacl
_get_dacl.argtypes = [_void, ctypes.POINTER(wintypes.BOOL), _out, ctypes.POINTER(wintypes.BOOL)]
_get_dacl.restype = wintypes.BOOL
_get_owner = _advapi32.GetSecurityDescriptorOwner
_get_owner.argtypes = [_void, _out, ctypes.POINTER(wintypes.BOOL)]
_get_owner.restype = wintypes.BOOL
_get_group = _advapi32.GetSecurityDescriptorGroup
_get_group.argtypes = [_void, _out, ctypes.POINTER(wintypes.BOOL)]
_get_group.restype = wintypes.BOOL
_get_control = _advapi32.GetSecurityDescriptorControl
_get_control.argtypes = [_void, ctypes.POINTER(wintypes.WORD), ctypes.POINTER(wintypes.DWORD)]
_get_control.restype = wintypes.BOOL
_local_free = _kernel32.LocalFree
_local_free.argtypes = [_void]
_local_free.restype = _void
_open_token = _advapi32.OpenProcessToken
_open_token.argtypes = [wintypes.HANDLE, wintypes.DWORD, ctypes.POINTER(wintypes.HANDLE)]
_open_token.restype = wintypes.BOOL
_token_information = _advapi32.GetTokenInformation
_token_information.argtypes = [
    wintypes.HANDLE,
    ctypes.c_int,
    _void,
    wintypes.DWORD,
    ctypes.POINTER(wintypes.DWORD),
]
_token_information.restype = wintypes.BOOL
_current_process = _kernel32.GetCurrentProcess
_current_process.argtypes = []
_current_process.restype = wintypes.HANDLE


@contextmanager
def descriptor_from(sddl: str) -> Iterator[ctypes.c_void_p]:
    """A descriptor in memory made from SDDL, freed afterwards."""
    pointer = ctypes.c_void_p()
    if not _from_text(sddl, _REVISION, ctypes.byref(pointer), None):
        raise last_failure("read the access", sddl)
    try:
        yield pointer
    finally:
        _local_free(pointer)


def file_access(path: str) -> str:
    """Owner, group and access of a file or directory as SDDL."""
    descriptor, text = ctypes.c_void_p(), ctypes.c_void_p()
    parts = _OWNER | _GROUP | _DACL
    code = _get_named(
        path, _SE_FILE_OBJECT, parts, None, None, None, None, ctypes.byref(descriptor)
    )
    if code:
        raise failure("read the access of", path, code)
    try:
        if not _to_text(descriptor, _REVISION, parts, ctypes.byref(text), None):
            raise last_failure("read the access of", path)
        try:
            return ctypes.wstring_at(text.value or 0)
        finally:
            _local_free(text)
    finally:
        _local_free(descriptor)


def set_file_access(path: str, sddl: str) -> None:
    """Set what the SDDL names: owner, group, access; children inherit as it says."""
    with descriptor_from(sddl) as descriptor:
        owner, group, dacl = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        flag, present, revision = wintypes.BOOL(), wintypes.BOOL(), wintypes.DWORD()
        control = wintypes.WORD()
        done = (
            _get_owner(descriptor, ctypes.byref(owner), ctypes.byref(flag))
            and _get_group(descriptor, ctypes.byref(group), ctypes.byref(flag))
            and _get_dacl(descriptor, ctypes.byref(present), ctypes.byref(dacl), ctypes.byref(flag))
            and _get_control(descriptor, ctypes.byref(control), ctypes.byref(revision))
        )
        if not done:
            raise last_failure("read the access", sddl)
        parts = (_OWNER if owner.value else 0) | (_GROUP if group.value else 0)
        if present.value:
            protected = control.value & _SE_DACL_PROTECTED
            parts |= _DACL | (_PROTECTED if protected else _UNPROTECTED)
        code = _set_named(path, _SE_FILE_OBJECT, parts, owner, group, dacl, None)
        if code:
            raise failure("set the access of", path, code)


def is_elevated() -> bool:
    """Whether this process has an administrator's full token."""
    token, size, elevated = wintypes.HANDLE(), wintypes.DWORD(), wintypes.DWORD()
    if not _open_token(_current_process(), _TOKEN_QUERY, ctypes.byref(token)):
        raise last_failure("open the token of", "this process")
    try:
        if not _token_information(
            token,
            _TOKEN_ELEVATION,
            ctypes.byref(elevated),
            ctypes.sizeof(elevated),
            ctypes.byref(size),
        ):
            raise last_failure("read the token of", "this process")
    finally:
        close_handle(token)
    return bool(elevated.value)
