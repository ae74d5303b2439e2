"""The machine itself: name, build, rights, room and what waits for a reboot."""

import sys

assert sys.platform == "win32"

import ctypes
import ntpath
import os
import shutil
import socket
import time
from ctypes import wintypes

from transom.node.host.windows_error import translated
from transom.node.host.windows_registry import WindowsRegistry
from transom.node.host.windows_security import is_elevated

_CURRENT_VERSION = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion"
_COMPUTER_NAME = r"SYSTEM\CurrentControlSet\Control\ComputerName\ActiveComputerName"
# NETSETUP_JOIN_STATUS of lmjoin.h
_DOMAIN_MEMBER = 3
_REBOOT_KEYS = (
    r"SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending",
    r"SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired",
)


class WindowsSystem:
    """This machine."""

    def __init__(self, registry: WindowsRegistry) -> None:
        self._registry = registry

    def computer_name(self) -> str:
        found = self._registry.get(_COMPUTER_NAME, "ComputerName")
        return str(found.value) if found is not None else socket.gethostname()

    def domain(self) -> str:
        name, status = wintypes.LPWSTR(), ctypes.c_int()
        library = ctypes.WinDLL("netapi32")
        failed = library.NetGetJoinInformation(None, ctypes.byref(name), ctypes.byref(status))
        if failed:
            return ""
        try:
            return name.value or "" if status.value == _DOMAIN_MEMBER else ""
        finally:
            library.NetApiBufferFree(name)

    def build(self) -> tuple[int, int]:
        build = self._registry.get(_CURRENT_VERSION, "CurrentBuildNumber")
        revision = self._registry.get(_CURRENT_VERSION, "UBR")
        number = int(build.value) if build and isinstance(build.value, str) else 0
        return number, revision.value if revision and isinstance(revision.value, int) else 0

    def elevated(self) -> bool:
        return is_elevated()

    def free_bytes(self, path: str) -> int:
        drive = ntpath.splitdrive(path)[0] or os.getcwd()[:2]  # noqa: PTH109 - text paths here
        with translated("measure", drive):
            return shutil.disk_usage(drive + "\\").free

    def reboot_pending(self) -> bool:
        return any(self._registry.has_key(key) for key in _REBOOT_KEYS)

    def now(self) -> float:
        return time.time()
