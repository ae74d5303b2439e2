"""Processes of Windows by the program that they run: a file that runs cannot be replaced or removed.

Those of which no service is known are what pods started from the host's own files.
"""

import sys

assert sys.platform == "win32"

import ctypes
import ntpath
import os
from collections.abc import Iterator
from ctypes import wintypes

from transom.node.host.windows.handles import close_handle

_TERMINATE, _LIMITED, _SYNCHRONIZE = 0x1, 0x1000, 0x10_0000
_PATH_CHARACTERS = 32_768
_FIRST_GUESS = 4096
_END_MS = 10_000

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_enumerate = _kernel32.K32EnumProcesses
_enumerate.argtypes = [
    ctypes.POINTER(wintypes.DWORD),
    wintypes.DWORD,
    ctypes.POINTER(wintypes.DWORD),
]
_enumerate.restype = wintypes.BOOL
_open = _kernel32.OpenProcess
_open.argtypes = [wintypes.DWORD, wintypes.BOOL, wintypes.DWORD]
_open.restype = wintypes.HANDLE
_image = _kernel32.QueryFullProcessImageNameW
_image.argtypes = [
    wintypes.HANDLE,
    wintypes.DWORD,
    wintypes.LPWSTR,
    ctypes.POINTER(wintypes.DWORD),
]
_image.restype = wintypes.BOOL
_terminate = _kernel32.TerminateProcess
_terminate.argtypes = [wintypes.HANDLE, wintypes.UINT]
_terminate.restype = wintypes.BOOL
_wait = _kernel32.WaitForSingleObject
_wait.argtypes = [wintypes.HANDLE, wintypes.DWORD]
_wait.restype = wintypes.DWORD


def end_programs(path: str) -> int:
    """End every process but this one that runs exactly that file, and say how many there were."""
    wanted, ended = ntpath.normcase(ntpath.abspath(path)), 0
    for number in _processes():
        handle = _open(_TERMINATE | _LIMITED | _SYNCHRONIZE, False, number)
        if not handle:
            continue
        try:
            if ntpath.normcase(_program(handle)) == wanted and _terminate(handle, 1):
                _wait(handle, _END_MS)
                ended += 1
        finally:
            close_handle(handle)
    return ended


def _processes() -> Iterator[int]:
    room, used = _FIRST_GUESS, wintypes.DWORD()
    while True:
        numbers = (wintypes.DWORD * room)()
        if not _enumerate(numbers, ctypes.sizeof(numbers), ctypes.byref(used)):
            return
        # Windows does not say how many there are: a full table may have left some out.
        if used.value < ctypes.sizeof(numbers):
            break
        room *= 2
    count = used.value // ctypes.sizeof(wintypes.DWORD)
    yield from (number for number in numbers[:count] if number not in (0, os.getpid()))


def _program(handle: int) -> str:
    text, size = ctypes.create_unicode_buffer(_PATH_CHARACTERS), wintypes.DWORD(_PATH_CHARACTERS)
    return text.value if _image(handle, 0, text, ctypes.byref(size)) else ""
