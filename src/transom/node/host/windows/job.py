"""A job object: processes in it end when the handle to it is closed, whatever ended its holder."""

import sys

assert sys.platform == "win32"

import ctypes
from ctypes import wintypes

from transom.node.host.windows.error import last_failure
from transom.node.host.windows.handles import close_handle

_KILL_ON_CLOSE, _EXTENDED_LIMITS = 0x2000, 9
_SET_QUOTA_AND_TERMINATE = 0x100 | 0x1


class _Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", wintypes.DWORD),
        ("minimum_working_set", ctypes.c_size_t),
        ("maximum_working_set", ctypes.c_size_t),
        ("active_processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priority_class", wintypes.DWORD),
        ("scheduling_class", wintypes.DWORD),
        ("io_counters", ctypes.c_uint64 * 6),
        ("memory_limits", ctypes.c_size_t * 4),
    )


_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_create_job = _kernel32.CreateJobObjectW
_create_job.argtypes = [ctypes.c_void_p, wintypes.LPCWSTR]
_create_job.restype = wintypes.HANDLE
_set_information = _kernel32.SetInformationJobObject
_set_information.argtypes = [wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD]
_set_information.restype = wintypes.BOOL
_assign = _kernel32.AssignProcessToJobObject
_assign.argtypes = [wintypes.HANDLE, wintypes.HANDLE]
_assign.restype = wintypes.BOOL
_open_process = _kernel32.OpenProcess
_open_process.argtypes = [wintypes.DWORD, wintypes.BOOL, wintypes.DWORD]
_open_process.restype = wintypes.HANDLE


class Job:
    """Holds one process; never closed on purpose, so that the end of this program closes it."""

    def __init__(self, process: int) -> None:
        self._handle = _create_job(None, None)
        if not self._handle:
            raise last_failure("make", "a job object")
        limits = _Limits(flags=_KILL_ON_CLOSE)
        size = ctypes.sizeof(limits)
        if not _set_information(self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), size):
            raise last_failure("limit", "a job object")
        opened = _open_process(_SET_QUOTA_AND_TERMINATE, False, process)
        try:
            if not opened or not _assign(self._handle, opened):
                raise last_failure("keep hold of the process", str(process))
        finally:
            if opened:
                close_handle(opened)

    def __del__(self) -> None:
        close_handle(self._handle)
