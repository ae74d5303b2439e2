"""The nouns of the simulated host but for its disk: settings that a power cut may lose.

Windows writes the registry, where most of these live, lazily: until `flush` a cut keeps any subset.
"""

import contextlib
import hashlib
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from transom.errors import PermanentError, TemporaryError
from transom.model.request import SourceAccess
from transom.node.host.environment import EntryLists
from transom.node.host.faults import Calls
from transom.node.host.simulated_disk import SimulatedDisk
from transom.node.host.values import (
    Adapter,
    ClusterNode,
    FeatureState,
    FirewallPort,
    NodeHealth,
    RegistryData,
    ServiceDefinition,
    Signature,
    Volume,
    WebAnswer,
)


@dataclass
class Settings:
    """Named values of all nouns but files, by (noun, subject); lost in a cut until flushed."""

    calls: Calls
    durable: dict[tuple[str, str], Any] = field(default_factory=dict)
    seen: dict[tuple[str, str], Any] = field(default_factory=dict)
    pending: list[tuple[tuple[str, str], Any]] = field(default_factory=list)

    def get(self, noun: str, subject: str) -> Any:
        """Give a value, None where there is none."""
        self.calls.looked()
        return self.seen.get((noun, subject.lower()))

    def put(self, noun: str, subject: str, value: Any) -> None:
        """Set a value; None removes it."""
        key = (noun, subject.lower())

        def act() -> None:
            _set(self.seen, key, value)
            self.pending.append((key, value))

        self.calls.made(f"{noun} {subject}", act)

    def flush(self) -> None:
        """Make every value durable."""
        self.durable, self.pending = dict(self.seen), []

    def cut(self, chance: random.Random) -> None:
        """Lose a random subset of what was not flushed."""
        for key, value in self.pending:
            if chance.random() < 1 / 2:
                _set(self.durable, key, value)
        self.seen, self.pending = dict(self.durable), []


def _set(values: dict[tuple[str, str], Any], key: tuple[str, str], value: Any) -> None:
    if value is None:
        values.pop(key, None)
    else:
        values[key] = value


@dataclass
class SimulatedRegistry:
    """Keys and values."""

    settings: Settings

    def has_key(self, key: str) -> bool:
        return key in ("SYSTEM", "SOFTWARE") or bool(self.settings.get("key", key))

    def get(self, key: str, name: str) -> RegistryData | None:
        data: RegistryData | None = self.settings.get("value", f"{key}\\\\{name}")
        return data

    def make_key(self, key: str) -> None:
        parts = key.split("\\")
        for count in range(1, len(parts) + 1):
            parent = "\\".join(parts[:count])
            if not self.has_key(parent):
                self.settings.put("key", parent, True)

    def delete_key(self, key: str) -> None:
        low = key.lower()
        for noun, subject in list(self.settings.seen):
            if noun == "key" and (subject == low or subject.startswith(low + "\\")):
                self.settings.put("key", subject, None)
            elif noun == "value" and subject.startswith(low + "\\"):
                self.settings.put("value", subject, None)

    def put(self, key: str, name: str, data: RegistryData | None) -> None:
        if data is not None and not self.has_key(key):
            raise PermanentError(f"there is no registry key {key}", subject=key)
        self.settings.put("value", f"{key}\\\\{name}", data)


@dataclass
class SimulatedEnvironment(EntryLists):
    """Machine-wide variables."""

    settings: Settings

    def get(self, name: str) -> str | None:
        value: str | None = self.settings.get("variable", name)
        return value

    def put(self, name: str, value: str | None) -> None:
        self.settings.put("variable", name, value)


@dataclass
class SimulatedFeatures:
    """Features; which need a reboot is the test's choice."""

    settings: Settings
    need_reboot: set[str] = field(default_factory=set)

    def state(self, name: str) -> FeatureState:
        return self.settings.get("feature", name) or FeatureState.ABSENT

    def enable(self, name: str) -> None:
        pending = name in self.need_reboot
        state = FeatureState.ENABLE_PENDING if pending else FeatureState.ENABLED
        self.settings.put("feature", name, state)

    def disable(self, name: str) -> None:
        self.settings.put("feature", name, FeatureState.DISABLED)

    def reboot(self) -> None:
        """Finish what waited for a boot."""
        for (noun, name), state in list(self.settings.seen.items()):
            if noun == "feature" and state is FeatureState.ENABLE_PENDING:
                self.settings.put("feature", name, FeatureState.ENABLED)


@dataclass
class SimulatedFirewall:
    """Rules."""

    settings: Settings

    def get(self, name: str) -> FirewallPort | None:
        rule: FirewallPort | None = self.settings.get("rule", name)
        return rule

    def put(self, name: str, rule: FirewallPort | None) -> None:
        self.settings.put("rule", name, rule)


@dataclass
class SimulatedDefender:
    """Exclusions."""

    settings: Settings
    installed: bool = True

    def present(self) -> bool:
        return self.installed

    def excluded(self, process: str) -> bool:
        return bool(self.settings.get("exclusion", process))

    def exclude(self, process: str) -> None:
        self.settings.put("exclusion", process, True)

    def include(self, process: str) -> None:
        self.settings.put("exclusion", process, None)


@dataclass
class SimulatedServices:
    """Services; after a boot those run that start automatically and do not end by themselves."""

    settings: Settings
    alive: set[str] = field(default_factory=set)
    ends_by_itself: Callable[[str], bool] = lambda _name: False

    def get(self, name: str) -> ServiceDefinition | None:
        definition: ServiceDefinition | None = self.settings.get("service", name)
        return definition

    def running(self, name: str) -> bool:
        self.settings.calls.looked()
        return name.lower() in self.alive

    def put(self, name: str, definition: ServiceDefinition | None) -> None:
        if definition is None:
            self.stop(name)
        self.settings.put("service", name, definition)

    def start(self, name: str) -> None:
        if self.get(name) is None:
            raise PermanentError(f"there is no service {name}", subject=name)
        self.settings.calls.made(f"start {name}", lambda: self.alive.add(name.lower()))

    def stop(self, name: str) -> None:
        if self.running(name):
            self.settings.calls.made(f"stop {name}", lambda: self.alive.discard(name.lower()))

    def runs_from(self, path: str) -> bool:
        """Whether a service runs the program at that path."""
        if not path.lower().endswith(".exe"):
            return False
        commands = (self.settings.seen.get(("service", name)) for name in self.alive)
        return any(path.lower() in item.command.lower() for item in commands if item is not None)

    def boot(self) -> None:
        """Start what starts automatically, as after a boot."""
        self.alive = {
            name
            for (noun, name), definition in self.settings.seen.items()
            if noun == "service" and definition.start == "auto" and not self.ends_by_itself(name)
        }


@dataclass
class SimulatedNetwork:
    """Routes, suffixes, HNS networks."""

    settings: Settings
    up: tuple[Adapter, ...] = (Adapter(name="Ethernet", addresses=("10.0.0.21",), dhcp=True),)
    unreachable: set[str] = field(default_factory=set)
    gateway: str = "10.0.0.1"
    taken: set[int] = field(default_factory=set)
    server_times: dict[str, float] = field(default_factory=dict)

    def adapters(self) -> tuple[Adapter, ...]:
        return self.up

    def dns_suffixes(self) -> tuple[str, ...]:
        suffixes: tuple[str, ...] | None = self.settings.get("suffixes", "")
        return suffixes or ()

    def has_route(self, prefix: str) -> bool:
        return bool(self.settings.get("active", prefix)) or bool(self.persistent_route(prefix))

    def persistent_route(self, prefix: str) -> str | None:
        gateway: str | None = self.settings.get("route", prefix)
        return gateway

    def hns_network(self, name: str) -> bool:
        return bool(self.settings.get("hns", name))

    def reaches(self, host: str, port: int) -> bool:
        return f"{host}:{port}" not in self.unreachable

    def gateways(self) -> tuple[str, ...]:
        return (self.gateway,) if self.gateway else ()

    def answers(self, address: str) -> bool:
        return address not in self.unreachable

    def is_free(self, port: int) -> bool:
        return port not in self.taken

    def time_at(self, host: str, port: int) -> float | None:
        return self.server_times.get(f"{host}:{port}")

    def add_dns_suffix(self, suffix: str) -> None:
        suffixes = self.dns_suffixes()
        if suffix not in suffixes:
            self.settings.put("suffixes", "", (*suffixes, suffix))

    def remove_dns_suffix(self, suffix: str) -> None:
        suffixes = self.dns_suffixes()
        if suffix in suffixes:
            left = tuple(other for other in suffixes if other != suffix)
            self.settings.put("suffixes", "", left or None)

    def put_route(self, prefix: str, gateway: str | None) -> None:
        self.settings.put("route", prefix, gateway)

    def delete_hns_network(self, name: str) -> None:
        self.settings.put("hns", name, None)


@dataclass
class SimulatedSystem:
    """The machine."""

    name: str = "win-01"
    windows: tuple[int, int] = (20348, 2700)
    admin: bool = True
    free: int = 100 << 30
    pending: bool = False
    time: float = 1_790_000_000.0
    member_of: str = ""

    def computer_name(self) -> str:
        return self.name

    def build(self) -> tuple[int, int]:
        return self.windows

    def elevated(self) -> bool:
        return self.admin

    def free_bytes(self, path: str) -> int:
        del path
        return self.free

    def reboot_pending(self) -> bool:
        return self.pending

    def now(self) -> float:
        return self.time

    def edition(self) -> str:
        return "ServerDatacenter"

    def domain(self) -> str:
        return self.member_of

    def volumes(self) -> dict[str, Volume]:
        return {"C:\\": Volume(free=self.free, total=200 << 30)}


WebServer = Callable[[str, str, Mapping[str, str], bytes], WebAnswer]


@dataclass
class SimulatedWeb:
    """Calls answered by a function that a test puts in `server`; nobody is reached without one."""

    calls: Calls
    server: WebServer | None = None

    def call(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None = None,
        direct: bool = False,
    ) -> WebAnswer:
        del direct
        self.calls.looked()
        if self.server is None:
            raise TemporaryError(f"cannot reach {url}: no route", subject=url)
        return self.server(method, url, headers, body or b"")


@dataclass
class SimulatedSource:
    """Downloads by URL; a connection may break after so many bytes."""

    calls: Calls
    content: dict[str, bytes] = field(default_factory=dict)
    breaks: list[int] = field(default_factory=list)
    ranges: bool = True
    asked: list[tuple[str, int]] = field(default_factory=list)
    accesses: list[SourceAccess] = field(default_factory=list)

    @contextlib.contextmanager
    def open(
        self, url: str, *, offset: int, access: SourceAccess
    ) -> Iterator[tuple[bool, Iterator[bytes]]]:
        self.calls.looked()
        self.accesses.append(access)
        self.asked.append((url, offset))
        if url not in self.content:
            raise PermanentError(f"cannot download {url}: 404", subject=url)
        start = offset if self.ranges else 0
        yield start == offset, self._chunks(self.content[url][start:])

    def _chunks(self, data: bytes) -> Iterator[bytes]:
        limit = self.breaks.pop(0) if self.breaks else len(data)
        half = max(1, len(data) // 2)
        for start in range(0, len(data), half):
            if start >= limit:
                raise TemporaryError("the connection broke", subject="download")
            yield data[start : start + half]


@dataclass
class SimulatedSignatures:
    """Signatures by the SHA-256 of what was signed."""

    disk: SimulatedDisk
    signed: dict[str, Signature] = field(default_factory=dict)

    def of(self, path: str) -> Signature | None:
        return self.signed.get(hashlib.sha256(self.disk.read(path)).hexdigest())


@dataclass
class SimulatedCluster:
    """An API server that knows pod ranges by node, and how nodes are as long as a test says it."""

    calls: Calls
    healthy: Callable[[str], NodeHealth | None] = lambda _node: None
    pod_ranges: dict[str, str] = field(default_factory=lambda: {"win-01": "10.244.3.0/24"})
    addresses: tuple[str, ...] = ("10.0.0.21",)

    def node(self, kubeconfig: str, node: str) -> ClusterNode | None:
        del kubeconfig
        self.calls.looked()
        pods = self.pod_ranges.get(node)
        return None if pods is None else ClusterNode(pod_range=pods, addresses=self.addresses)

    def health(self, kubeconfig: str, node: str) -> NodeHealth | None:
        del kubeconfig
        self.calls.looked()
        return self.healthy(node)


@dataclass
class SimulatedClock:
    """A clock that moves only when somebody waits; `meanwhile` is what a test lets happen then."""

    time: float = 1_790_000_000.0
    meanwhile: Callable[[], None] = lambda: None

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds
        self.meanwhile()


@dataclass
class SimulatedBackground:
    """Work that a test lets happen when it likes."""

    started: list[tuple[tuple[str, ...], bytes]] = field(default_factory=list)
    left: list[tuple[tuple[str, ...], bytes]] = field(default_factory=list)
    asked_to_stop: Callable[[], bool] = lambda: False

    def start(self, argv: Sequence[str], payload: bytes) -> None:
        self.started.append((tuple(argv), payload))

    def is_started(self) -> bool:
        return bool(self.started)

    def serve(self, work: Callable[[bytes], None]) -> None:
        work(self.started.pop(0)[1])

    def leave(self, argv: Sequence[str], payload: bytes) -> None:
        self.left.append((tuple(argv), payload))

    def be_session(self, work: Callable[[Callable[[], bool]], int]) -> int:
        return work(self.asked_to_stop)

    def be_service(self, name: str, work: Callable[[Callable[[], bool]], int]) -> int:
        del name
        return work(self.asked_to_stop)
