"""The machine itself: name, build, rights, room and what waits for a reboot."""

import sys

assert sys.platform == "win32"

import ntpath
import os
import shutil
import socket
import string
import time

from transom.node.host.values import Volume
from transom.node.host.windows_domain import domain_of_this_machine
from transom.node.host.windows_error import translated
from transom.node.host.windows_registry import WindowsRegistry
from transom.node.host.windows_security import is_elevated

_CURRENT_VERSION = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion"
_COMPUTER_NAME = r"SYSTEM\CurrentControlSet\Control\ComputerName\ActiveComputerName"
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

    def edition(self) -> str:
        found = self._registry.get(_CURRENT_VERSION, "EditionID")
        return str(found.value) if found is not None else ""

    def domain(self) -> str:
        return domain_of_this_machine()

    def volumes(self) -> dict[str, Volume]:
        found = {}
        for root in (f"{letter}:\\" for letter in string.ascii_uppercase):
            try:
                usage = shutil.disk_usage(root)
            except OSError:
                continue  # no such volume, or a drive without a medium
            found[root] = Volume(free=usage.free, total=usage.total)
        return found
