"""A Windows host as the node program may use it: the nouns of `nouns`, put together.

Steps see `ReadHost` in check, which has no writing method at all, `Host` in apply, and `UndoHost` in
undo. The implementations are `simulated`, `windows` and, around either, `transom.node.engine.journalled_host`.
Each raises only errors of `transom.errors`.
"""

from collections.abc import Mapping
from typing import Protocol

from transom.node.host.nouns.files import Disk, Files, ReadFiles, UndoFiles
from transom.node.host.nouns.network import Hns, Network, ReadNetwork, UndoNetwork
from transom.node.host.nouns.processes import Processes
from transom.node.host.nouns.registry import (
    Environment,
    ReadEnvironment,
    ReadRegistry,
    Registry,
    UndoEnvironment,
    UndoRegistry,
)
from transom.node.host.nouns.services import Background, ReadServices, Services
from transom.node.host.nouns.settings import (
    Defender,
    Features,
    Firewall,
    ReadDefender,
    ReadFeatures,
    ReadFirewall,
    UndoDefender,
)
from transom.node.host.nouns.system import Clock, ReadSystem, Signatures, Vitals
from transom.node.host.nouns.web import Cluster, Roots, Source, WebCalls


class ReadHost(Protocol):
    """A host to look at. It has no writing method, so a dry run cannot write."""

    @property
    def files(self) -> ReadFiles: ...
    @property
    def registry(self) -> ReadRegistry: ...
    @property
    def environment(self) -> ReadEnvironment: ...
    @property
    def features(self) -> ReadFeatures: ...
    @property
    def firewall(self) -> ReadFirewall: ...
    @property
    def defender(self) -> ReadDefender: ...
    @property
    def services(self) -> ReadServices: ...
    @property
    def network(self) -> ReadNetwork: ...
    @property
    def system(self) -> ReadSystem: ...
    @property
    def signatures(self) -> Signatures: ...


class Host(Protocol):
    """A host to change."""

    @property
    def files(self) -> Files: ...
    @property
    def registry(self) -> Registry: ...
    @property
    def environment(self) -> Environment: ...
    @property
    def features(self) -> Features: ...
    @property
    def firewall(self) -> Firewall: ...
    @property
    def defender(self) -> Defender: ...
    @property
    def services(self) -> Services: ...
    @property
    def network(self) -> Network: ...
    @property
    def system(self) -> ReadSystem: ...
    @property
    def signatures(self) -> Signatures: ...
    @property
    def processes(self) -> Processes: ...
    @property
    def source(self) -> Source: ...
    @property
    def cluster(self) -> Cluster: ...

    def note(self, act: str, subject: str, before: Mapping[str, object] | None) -> None:
        """Record a change that an outside program is about to make."""


class UndoHost(Host, Protocol):
    """A host to put back as it was; nothing done to it is recorded."""

    @property
    def files(self) -> UndoFiles: ...
    @property
    def registry(self) -> UndoRegistry: ...
    @property
    def environment(self) -> UndoEnvironment: ...
    @property
    def defender(self) -> UndoDefender: ...
    @property
    def network(self) -> UndoNetwork: ...


class Machine(UndoHost, Protocol):
    """The whole host as the runner holds it: also the bare disk, the clock and the last flush."""

    @property
    def disk(self) -> Disk: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def background(self) -> Background: ...
    @property
    def vitals(self) -> Vitals: ...
    @property
    def hns(self) -> Hns: ...
    @property
    def web(self) -> WebCalls: ...
    @property
    def roots(self) -> Roots: ...

    def flush(self, *, registry: bool = True) -> None:
        """Return when everything written so far would outlive a power cut; the registry where asked."""
