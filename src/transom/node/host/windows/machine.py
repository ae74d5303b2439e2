"""This Windows machine, all nouns together. Imported on Windows only.

What it takes to start a run is here at once; any other noun is imported when it is first asked for,
or all at once by a process that lasts.
"""

import sys

assert sys.platform == "win32"

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from transom.node.host.clock import RealClock
from transom.node.host.files import SafeFiles
from transom.node.host.windows.background import WindowsBackground
from transom.node.host.windows.disk import WindowsDisk
from transom.node.host.windows.registry import WindowsEnvironment, WindowsRegistry
from transom.node.host.windows.services import WindowsServices

if TYPE_CHECKING:
    from transom.node.host.cluster import NodeCluster
    from transom.node.host.downloads import Downloads
    from transom.node.host.processes import RealProcesses
    from transom.node.host.web import Web
    from transom.node.host.windows.hns import WindowsHns
    from transom.node.host.windows.network import WindowsNetwork
    from transom.node.host.windows.roots import WindowsRoots
    from transom.node.host.windows.settings import WindowsDefender, WindowsFeatures, WindowsFirewall
    from transom.node.host.windows.signatures import WindowsSignatures
    from transom.node.host.windows.system import WindowsSystem
    from transom.node.host.windows.vitals import WindowsVitals

_SYSTEM_DRIVE = "C:"


class WindowsHost:
    """The machine this program runs on."""

    def __init__(self) -> None:
        self.disk = WindowsDisk()
        self.files = SafeFiles(self.disk)
        self.clock = RealClock()
        self.registry = WindowsRegistry()
        self.environment = WindowsEnvironment(self.registry)
        self.services = WindowsServices(self.registry)
        self.background = WindowsBackground(self.services)

    @cached_property
    def processes(self) -> "RealProcesses":
        from transom.node.host.processes import RealProcesses

        return RealProcesses()

    @cached_property
    def features(self) -> "WindowsFeatures":
        from transom.node.host.windows.settings import WindowsFeatures

        return WindowsFeatures(self.processes)

    @cached_property
    def firewall(self) -> "WindowsFirewall":
        from transom.node.host.windows.settings import WindowsFirewall

        return WindowsFirewall(self.registry, self.processes)

    @cached_property
    def defender(self) -> "WindowsDefender":
        from transom.node.host.windows.settings import WindowsDefender

        return WindowsDefender(self.registry, self.processes)

    @cached_property
    def network(self) -> "WindowsNetwork":
        from transom.node.host.windows.network import WindowsNetwork

        return WindowsNetwork(self.registry, self.processes, self.roots)

    @cached_property
    def system(self) -> "WindowsSystem":
        from transom.node.host.windows.system import WindowsSystem

        return WindowsSystem(self.registry)

    @cached_property
    def signatures(self) -> "WindowsSignatures":
        from transom.node.host.windows.signatures import WindowsSignatures

        return WindowsSignatures()

    @cached_property
    def roots(self) -> "WindowsRoots":
        from transom.node.host.windows.roots import WindowsRoots

        return WindowsRoots()

    @cached_property
    def source(self) -> "Downloads":
        from transom.node.host.downloads import Downloads

        return Downloads(self.environment, self.roots)

    @cached_property
    def web(self) -> "Web":
        from transom.node.host.web import Web

        return Web(self.environment, self.roots)

    @cached_property
    def cluster(self) -> "NodeCluster":
        from transom.node.host.cluster import NodeCluster

        return NodeCluster(self.files)

    @cached_property
    def vitals(self) -> "WindowsVitals":
        from transom.node.host.windows.vitals import WindowsVitals

        return WindowsVitals(self.services, self.processes)

    @cached_property
    def hns(self) -> "WindowsHns":
        from transom.node.host.windows.hns import WindowsHns

        return WindowsHns()

    def import_all(self) -> None:
        """Import every noun now: the program on the disk may be replaced while this process lives."""
        for name in dir(type(self)):
            if isinstance(getattr(type(self), name), cached_property):
                getattr(self, name)

    def note(self, act: str, subject: str, before: Mapping[str, object] | None) -> None:
        """Nothing is recorded on the bare host."""

    def flush(self, *, registry: bool = True) -> None:
        if registry:
            self.registry.flush()
        self.disk.flush_volume(_SYSTEM_DRIVE)
