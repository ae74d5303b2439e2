"""The machine itself: name, build, rights, room and what waits for a reboot."""

import sys

assert sys.platform == "win32"

import ctypes
import ntpath
import os
import socket
import string
import time
from ctypes import wintypes

from transom.node.host.values import Volume
from transom.node.host.windows.error import last_failure
from transom.node.host.windows.registry import WindowsRegistry
from transom.node.host.windows.security import is_elevated

_CURRENT_VERSION = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion"
_COMPUTER_NAME = r"SYSTEM\CurrentControlSet\Control\ComputerName\ActiveComputerName"
_REBOOT_KEYS = (
    r"SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending",
    r"SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired",
)

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_free_space = _kernel32.GetDiskFreeSpaceExW
_free_space.argtypes = [wintypes.LPCWSTR, *[ctypes.POINTER(wintypes.ULARGE_INTEGER)] * 3]
_free_space.restype = wintypes.BOOL


class WindowsSystem:
    """This machine."""

    def __init__(self, registry: WindowsRegistry) -> None:
        self._registry = registry

    def computer_name(self) -> str:
        found = self._registry.get(_COMPUTER_NAME, "ComputerName")
        return str(found.value) if found is not None else socket.gethostname()

    def build(self) -> tuple[int, int]:
        build = self._registry.get(_CURRENT_VERSION, "CurrentBuildNumber")
        revision = self._registry.get(_CURRENT_VERSION, "UBR")
        number = int(build.value) if build and isinstance(build.value, str) else 0
        return number, revision.value if revision and isinstance(revision.value, int) else 0

    def elevated(self) -> bool:
        return is_elevated()

    def interpreter(self) -> str:
        return sys.executable

    def free_bytes(self, path: str) -> int:
        drive = ntpath.splitdrive(path)[0] or os.getcwd()[:2]  # noqa: PTH109 - text paths here
        found = _volume(drive + "\\")
        if found is None:
            raise last_failure("measure", drive)
        return found.free

    def reboot_pending(self) -> bool:
        return any(self._registry.has_key(key) for key in _REBOOT_KEYS)

    def now(self) -> float:
        return time.time()

    def edition(self) -> str:
        found = self._registry.get(_CURRENT_VERSION, "EditionID")
        return str(found.value) if found is not None else ""

    def domain(self) -> str:
        from transom.node.host.windows.domain import domain_of_this_machine

        return domain_of_this_machine()

    def volumes(self) -> dict[str, Volume]:
        roots = [f"{letter}:\\" for letter in string.ascii_uppercase]
        return {root: found for root in roots if (found := _volume(root)) is not None}


def _volume(root: str) -> Volume | None:
    """The room of a volume; none where there is none, or a drive without a medium."""
    # Not by shutil: it imports every way to compress.
    free, total = wintypes.ULARGE_INTEGER(), wintypes.ULARGE_INTEGER()
    if not _free_space(root, ctypes.byref(free), ctypes.byref(total), None):
        return None
    return Volume(free=free.value, total=total.value)
