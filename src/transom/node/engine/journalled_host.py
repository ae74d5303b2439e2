"""The host that steps change: each call is journalled, flushed, and only then made.

Wraps any machine. A step cannot change a host without leaving the intent behind, because it is
given nothing else to change it with.
"""

import ntpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BufferedIOBase
from typing import Any

from transom.model.journal import SERVICE_STATE, Intent
from transom.model.records import dataclass
from transom.node.engine.changes import ACTS, SEPARATOR
from transom.node.engine.journal import Journal
from transom.node.host.environment import has_entry
from transom.node.host.files import SafeFiles
from transom.node.host.nouns.processes import Processes
from transom.node.host.nouns.system import ReadSystem, Signatures
from transom.node.host.nouns.web import Cluster, Source
from transom.node.host.protocols import Machine
from transom.node.host.values import (
    Adapter,
    FeatureState,
    FirewallPort,
    PathKind,
    RegistryData,
    ServiceDefinition,
)

_CHUNK_BYTES = 1 << 20

Record = Callable[[str, str], None]


class JournallingHost:
    """A machine whose every change is in the journal under one step's name."""

    def __init__(self, machine: Machine, journal: Journal, *, step: str, saved: str) -> None:
        self._machine = machine
        self._journal = journal
        self._step = step
        self.files = JournalledFiles(machine, self.note, saved)
        self.registry = JournalledRegistry(machine, self._look_and_note)
        self.environment = JournalledEnvironment(machine, self._look_and_note)
        self.features = JournalledFeatures(machine, self._look_and_note)
        self.firewall = JournalledFirewall(machine, self._look_and_note)
        self.defender = JournalledDefender(machine, self._look_and_note)
        self.services = JournalledServices(machine, self._look_and_note)
        self.network = JournalledNetwork(machine, self._look_and_note)

    @property
    def system(self) -> ReadSystem:
        return self._machine.system

    @property
    def signatures(self) -> Signatures:
        return self._machine.signatures

    @property
    def processes(self) -> Processes:
        return self._machine.processes

    @property
    def source(self) -> Source:
        return self._machine.source

    @property
    def cluster(self) -> Cluster:
        return self._machine.cluster

    def note(self, act: str, subject: str, before: Mapping[str, object] | None) -> None:
        self._journal.intend(Intent(self._step, act, subject, before))

    def _look_and_note(self, act: str, subject: str) -> None:
        self.note(act, subject, ACTS[act].look(self._machine, subject))


@dataclass(frozen=True, slots=True)
class JournalledFiles:
    """Files; the content a write replaces is kept as a copy, unless it is secret."""

    machine: Machine
    note: Callable[[str, str, Mapping[str, object] | None], None]
    saved: str

    def kind(self, path: str) -> PathKind:
        return self.machine.files.kind(path)

    def read(self, path: str) -> bytes:
        return self.machine.files.read(path)

    def open(self, path: str) -> BufferedIOBase:
        return self.machine.files.open(path)

    def sha256(self, path: str) -> str:
        return self.machine.files.sha256(path)

    def size(self, path: str) -> int:
        return self.machine.files.size(path)

    def entries(self, path: str) -> tuple[str, ...]:
        return self.machine.files.entries(path)

    def acl(self, path: str) -> str:
        return self.machine.files.acl(path)

    def write(
        self, path: str, content: bytes | Iterable[bytes], *, acl: str = "", secret: bool = False
    ) -> None:
        self.note("file", path, self._before(path, secret=secret))
        self.machine.files.write(path, content, acl=acl)

    def keep(self, path: str) -> None:
        self.note("file", path, self._before(path, secret=False))

    def flush(self, path: str) -> None:
        self.machine.files.flush(path)

    def append(self, path: str, data: bytes) -> None:
        if self.kind(path) is PathKind.ABSENT:
            self.note("file", path, None)
        self.machine.files.append(path, data)

    def move(self, source: str, target: str) -> None:
        self.note("file", target, self._before(target, secret=False))
        self.machine.files.move(source, target)

    def remove(self, path: str, *, secret: bool = False) -> None:
        if self.kind(path) is not PathKind.ABSENT:
            self.note("file", path, self._before(path, secret=secret))
            self.machine.files.remove(path)

    def link(self, path: str, target: str) -> None:
        # An undo takes it away; what had its name before belongs to the join that is undone with it.
        self.note("file", path, None)
        self.machine.files.link(path, target)

    def make_directory(self, path: str) -> None:
        for directory in reversed(SafeFiles(self.machine.disk).missing(path)):
            self.note("directory", directory, None)
            self.machine.files.make_directory(directory)

    def set_acl(self, path: str, sddl: str) -> None:
        self.note("acl", path, ACTS["acl"].look(self.machine, path))
        self.machine.files.set_acl(path, sddl)

    def _before(self, path: str, *, secret: bool) -> dict[str, Any] | None:
        if self.kind(path) is PathKind.ABSENT:
            return None
        digest = self.machine.files.sha256(path)
        if secret:
            return {"sha256": digest}
        copy = ntpath.join(self.saved, digest)
        files = self.machine.files
        if files.kind(copy) is PathKind.ABSENT:
            files.make_directory(self.saved)
            files.write(copy, chunks_of(files.open(path)))
            self.machine.disk.flush(copy)
        return {"saved": copy, "acl": files.acl(path)}


def chunks_of(stream: BufferedIOBase) -> Iterator[bytes]:
    """The content of an open file by parts; closes it."""
    with stream:
        while chunk := stream.read(_CHUNK_BYTES):
            yield chunk


@dataclass(frozen=True, slots=True)
class JournalledRegistry:
    """The registry; each key that has to be made is an intent of its own."""

    machine: Machine
    record: Record

    def has_key(self, key: str) -> bool:
        return self.machine.registry.has_key(key)

    def get(self, key: str, name: str) -> RegistryData | None:
        return self.machine.registry.get(key, name)

    def make_key(self, key: str) -> None:
        parts = key.split("\\")
        for count in range(1, len(parts) + 1):
            parent = "\\".join(parts[:count])
            if not self.has_key(parent):
                self.record("registry-key", parent)
                self.machine.registry.make_key(parent)

    def put(self, key: str, name: str, data: RegistryData | None) -> None:
        self.record("registry-value", f"{key}{SEPARATOR}{name}")
        self.machine.registry.put(key, name, data)


@dataclass(frozen=True, slots=True)
class JournalledEnvironment:
    """Machine-wide variables."""

    machine: Machine
    record: Record

    def get(self, name: str) -> str | None:
        return self.machine.environment.get(name)

    def put(self, name: str, value: str | None) -> None:
        self.record("variable", name)
        self.machine.environment.put(name, value)

    def add_entry(self, name: str, entry: str) -> None:
        if not has_entry(self.get(name) or "", entry):
            self.record("list-entry", f"{name}{SEPARATOR}{entry}")
            self.machine.environment.add_entry(name, entry)


@dataclass(frozen=True, slots=True)
class JournalledFeatures:
    """Windows features."""

    machine: Machine
    record: Record

    def state(self, name: str) -> FeatureState:
        return self.machine.features.state(name)

    def enable(self, name: str) -> None:
        self.record("feature", name)
        self.machine.features.enable(name)

    def disable(self, name: str) -> None:
        self.record("feature", name)
        self.machine.features.disable(name)


@dataclass(frozen=True, slots=True)
class JournalledFirewall:
    """Firewall rules."""

    machine: Machine
    record: Record

    def get(self, name: str) -> FirewallPort | None:
        return self.machine.firewall.get(name)

    def put(self, name: str, rule: FirewallPort | None) -> None:
        self.record("firewall-rule", name)
        self.machine.firewall.put(name, rule)


@dataclass(frozen=True, slots=True)
class JournalledDefender:
    """Defender exclusions."""

    machine: Machine
    record: Record

    def present(self) -> bool:
        return self.machine.defender.present()

    def excluded(self, process: str) -> bool:
        return self.machine.defender.excluded(process)

    def exclude(self, process: str) -> None:
        self.record("defender-exclusion", process)
        self.machine.defender.exclude(process)


@dataclass(frozen=True, slots=True)
class JournalledServices:
    """Services, their definition and whether they run."""

    machine: Machine
    record: Record

    def get(self, name: str) -> ServiceDefinition | None:
        return self.machine.services.get(name)

    def running(self, name: str) -> bool:
        return self.machine.services.running(name)

    def put(self, name: str, definition: ServiceDefinition | None) -> None:
        self.record("service", name)
        self.machine.services.put(name, definition)

    def start(self, name: str) -> None:
        self.record(SERVICE_STATE, name)
        self.machine.services.start(name)

    def stop(self, name: str) -> None:
        if self.running(name):
            self.record(SERVICE_STATE, name)
            self.machine.services.stop(name)


@dataclass(frozen=True, slots=True)
class JournalledNetwork:
    """Routes, DNS suffixes and HNS networks."""

    machine: Machine
    record: Record

    def adapters(self) -> tuple[Adapter, ...]:
        return self.machine.network.adapters()

    def dns_suffixes(self) -> tuple[str, ...]:
        return self.machine.network.dns_suffixes()

    def has_route(self, prefix: str) -> bool:
        return self.machine.network.has_route(prefix)

    def persistent_route(self, prefix: str) -> str | None:
        return self.machine.network.persistent_route(prefix)

    def hns_network(self, name: str) -> bool:
        return self.machine.network.hns_network(name)

    def reaches(self, host: str, port: int) -> bool:
        return self.machine.network.reaches(host, port)

    def distrust(self, host: str, port: int, *, authorities: str) -> str:
        return self.machine.network.distrust(host, port, authorities=authorities)

    def gateways(self) -> tuple[str, ...]:
        return self.machine.network.gateways()

    def answers(self, address: str) -> bool:
        return self.machine.network.answers(address)

    def is_free(self, port: int) -> bool:
        return self.machine.network.is_free(port)

    def time_at(self, host: str, port: int) -> float | None:
        return self.machine.network.time_at(host, port)

    def add_dns_suffix(self, suffix: str) -> None:
        if suffix not in self.dns_suffixes():
            self.record("dns-suffix", suffix)
            self.machine.network.add_dns_suffix(suffix)

    def put_route(self, prefix: str, gateway: str | None) -> None:
        self.record("route", prefix)
        self.machine.network.put_route(prefix, gateway)
