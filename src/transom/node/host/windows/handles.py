"""Calls and structures of Windows that several doors need: handles, writing, service status.

Each is declared here once, with the types of its arguments. Imported on Windows only.
"""

import sys

assert sys.platform == "win32"

import ctypes
from collections.abc import Sequence
from ctypes import wintypes
from typing import ClassVar

INVALID_HANDLE = ctypes.c_void_p(-1).value
SERVICE_STOPPED, SERVICE_START_PENDING, SERVICE_STOP_PENDING, SERVICE_RUNNING = 1, 2, 3, 4

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
write_file = _kernel32.WriteFile
write_file.argtypes = [
    wintypes.HANDLE,
    ctypes.c_char_p,
    wintypes.DWORD,
    ctypes.POINTER(wintypes.DWORD),
    ctypes.c_void_p,
]
write_file.restype = wintypes.BOOL
flush_file_buffers = _kernel32.FlushFileBuffers
flush_file_buffers.argtypes = [wintypes.HANDLE]
flush_file_buffers.restype = wintypes.BOOL
close_handle = _kernel32.CloseHandle
close_handle.argtypes = [wintypes.HANDLE]
close_handle.restype = wintypes.BOOL


class ServiceStatus(ctypes.Structure):
    """SERVICE_STATUS: what a service says of itself."""

    _fields_: ClassVar[Sequence[tuple[str, type[wintypes.DWORD]]]] = (
        ("type", wintypes.DWORD),
        ("state", wintypes.DWORD),
        ("accepted", wintypes.DWORD),
        ("exit_code", wintypes.DWORD),
        ("service_exit_code", wintypes.DWORD),
        ("check_point", wintypes.DWORD),
        ("wait_hint", wintypes.DWORD),
    )


class ServiceProcessStatus(ServiceStatus):
    """SERVICE_STATUS_PROCESS: the same with the process that runs it."""

    _fields_ = (("process", wintypes.DWORD), ("flags", wintypes.DWORD))
