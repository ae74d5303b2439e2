"""The domain a machine belongs to, through netapi32."""

import sys

assert sys.platform == "win32"

import ctypes
from ctypes import wintypes

from transom.node.host.windows.error import failure

_netapi32 = ctypes.WinDLL("netapi32", use_last_error=True)
_MEMBER = 3  # NetSetupDomainName

_join_information = _netapi32.NetGetJoinInformation
_join_information.argtypes = [
    wintypes.LPCWSTR,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(ctypes.c_int),
]
_join_information.restype = wintypes.DWORD
_buffer_free = _netapi32.NetApiBufferFree
_buffer_free.argtypes = [ctypes.c_void_p]
_buffer_free.restype = wintypes.DWORD


def domain_of_this_machine() -> str:
    """The domain's name, empty for a machine of a workgroup."""
    name, status = ctypes.c_void_p(), ctypes.c_int()
    code = _join_information(None, ctypes.byref(name), ctypes.byref(status))
    if code != 0:
        raise failure("ask for the domain of", "this machine", code)
    try:
        return ctypes.wstring_at(name.value) if name.value and status.value == _MEMBER else ""
    finally:
        _buffer_free(name)
