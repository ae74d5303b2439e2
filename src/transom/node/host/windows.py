"""This Windows machine, all nouns together. Imported on Windows only."""

import sys

assert sys.platform == "win32"

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from transom.node.host.clock import RealClock
from transom.node.host.files import SafeFiles
from transom.node.host.processes import RealProcesses
from transom.node.host.windows_background import WindowsBackground
from transom.node.host.windows_disk import WindowsDisk
from transom.node.host.windows_hns import WindowsHns
from transom.node.host.windows_network import WindowsNetwork
from transom.node.host.windows_registry import WindowsEnvironment, WindowsRegistry
from transom.node.host.windows_services import WindowsServices
from transom.node.host.windows_settings import WindowsDefender, WindowsFeatures, WindowsFirewall
from transom.node.host.windows_signatures import WindowsSignatures
from transom.node.host.windows_system import WindowsSystem
from transom.node.host.windows_vitals import WindowsVitals

if TYPE_CHECKING:
    from transom.node.host.cluster import NodeCluster
    from transom.node.host.downloads import Downloads
    from transom.node.host.web import Web

_SYSTEM_DRIVE = "C:"


class WindowsHost:
    """The machine this program runs on; what speaks HTTP is imported when it is first needed."""

    def __init__(self) -> None:
        self.disk = WindowsDisk()
        self.files = SafeFiles(self.disk)
        self.clock = RealClock()
        self.processes = RealProcesses()
        self.registry = WindowsRegistry()
        self.environment = WindowsEnvironment(self.registry)
        self.features = WindowsFeatures(self.processes)
        self.firewall = WindowsFirewall(self.registry, self.processes)
        self.defender = WindowsDefender(self.registry, self.processes)
        self.services = WindowsServices(self.registry)
        self.network = WindowsNetwork(self.registry, self.processes)
        self.system = WindowsSystem(self.registry)
        self.signatures = WindowsSignatures()
        self.background = WindowsBackground(self.services)
        self.vitals = WindowsVitals(self.services, self.processes)
        self.hns = WindowsHns()

    @cached_property
    def source(self) -> "Downloads":
        from transom.node.host.downloads import Downloads

        return Downloads(self.environment)

    @cached_property
    def web(self) -> "Web":
        from transom.node.host.web import Web

        return Web(self.environment)

    @cached_property
    def cluster(self) -> "NodeCluster":
        from transom.node.host.cluster import NodeCluster

        return NodeCluster(self.files)

    def note(self, act: str, subject: str, before: Mapping[str, object] | None) -> None:
        """Nothing is recorded on the bare host."""

    def flush(self) -> None:
        self.registry.flush()
        self.disk.flush_volume(_SYSTEM_DRIVE)
