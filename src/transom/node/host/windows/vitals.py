"""States of this Windows machine that only a diagnosis asks for."""

import sys

assert sys.platform == "win32"

import ntpath
import os
import shutil

from transom.errors import PermanentError
from transom.node.host.nouns.processes import Processes
from transom.node.host.values import HnsState, ServiceStatus, Volume
from transom.node.host.windows.error import translated
from transom.node.host.windows.hns import WindowsHns
from transom.node.host.windows.services import WindowsServices

_PIPES = "\\\\.\\pipe\\"
_EVENTS_TIMEOUT_S = 60


class WindowsVitals:
    """Reads them from the service manager, the host network service and the file system."""

    def __init__(self, services: WindowsServices, processes: Processes) -> None:
        self._services = services
        self._processes = processes
        self._hns = WindowsHns()

    def service(self, name: str) -> ServiceStatus | None:
        return self._services.status(name)

    def hns(self) -> HnsState:
        return self._hns.state()

    def volume(self, path: str) -> Volume:
        drive = ntpath.splitdrive(path)[0]
        with translated("measure", drive):
            usage = shutil.disk_usage(drive + "\\")
        return Volume(free=usage.free, total=usage.total)

    def pipes(self) -> tuple[str, ...]:
        with translated("list", _PIPES):
            return tuple(sorted(os.listdir(_PIPES)))  # noqa: PTH208 - no path but a device

    def events(self, log: str, count: int) -> str:
        argv = ["wevtutil.exe", "qe", log, f"/c:{count}", "/rd:true", "/f:text"]
        done = self._processes.run(argv, timeout_s=_EVENTS_TIMEOUT_S)
        if done.code != 0:
            raise PermanentError(
                f"wevtutil.exe cannot read the event log {log}: it ended with {done.code}",
                subject=log,
            )
        return done.output
