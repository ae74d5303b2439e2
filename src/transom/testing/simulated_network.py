"""What the simulated host reaches: its network, downloads, calls, the API server."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from transom.errors import PermanentError, TemporaryError
from transom.model.request import SourceAccess
from transom.node.host.values import (
    Adapter,
    ClusterNode,
    NodeHealth,
    WebAnswer,
)
from transom.testing.faults import Calls
from transom.testing.simulated_settings import Settings

WebServer = Callable[[str, str, Mapping[str, str], bytes], WebAnswer]


@dataclass
class SimulatedRoots:
    """Root certificates: those of some sites are `missing` until Windows fetches them, if it can."""

    missing: set[str] = field(default_factory=set)
    updates: bool = True
    fetched: list[str] = field(default_factory=list)

    def fetch(self, chain: Sequence[bytes], host: str) -> str:
        """Whatever the chain, nobody vouches for a name below .invalid."""
        del chain
        if host in self.missing and self.updates:
            self.missing.discard(host)
            self.fetched.append(host)
        is_unknown = host in self.missing or host.endswith(".invalid")
        return "it ends in a root that is not trusted" if is_unknown else ""

    def objection(self, host: str) -> str:
        """Why a site's certificate is refused, after Windows was shown it; empty where it is not."""
        said = self.fetch((), host)
        if not said:
            return ""
        reason = f"unable to get local issuer certificate; Windows says: {said}"
        return f"the certificate of {host} is not trusted: {reason}"


@dataclass
class SimulatedNetwork:
    """Routes, suffixes, HNS networks."""

    settings: Settings
    roots: SimulatedRoots = field(default_factory=SimulatedRoots)
    up: tuple[Adapter, ...] = (Adapter(name="Ethernet", addresses=("10.0.0.21",), dhcp=True),)
    unreachable: set[str] = field(default_factory=set)
    gateway: str = "10.0.0.1"
    taken: set[int] = field(default_factory=set)
    server_times: dict[str, float] = field(default_factory=dict)
    routed: str = ""  # the adapter of the default route; empty is the first

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

    def distrust(self, host: str, port: int, *, authorities: str) -> str:
        return "" if authorities or not self.reaches(host, port) else self.roots.objection(host)

    def gateways(self) -> tuple[str, ...]:
        return (self.gateway,) if self.gateway else ()

    def answers(self, address: str) -> bool:
        return address not in self.unreachable

    def is_free(self, port: int) -> bool:
        return port not in self.taken

    def time_at(self, host: str, port: int) -> float | None:
        return self.server_times.get(f"{host}:{port}") if self.reaches(host, port) else None

    def add_dns_suffix(self, suffix: str) -> None:
        suffixes = self.dns_suffixes()
        if suffix not in suffixes:
            self.settings.put("suffixes", "", (*suffixes, suffix))

    def remove_dns_suffix(self, suffix: str) -> None:
        suffixes = self.dns_suffixes()
        if suffix in suffixes:
            left = tuple(other for other in suffixes if other != suffix)
            self.settings.put("suffixes", "", left or None)

    def routed_address(self) -> str:
        """The address of the default route's adapter; a host without a gateway has none."""
        up = [item for item in self.up if item.name == self.routed] or self.up[:1]
        return up[0].addresses[0] if self.gateway and up else ""

    def put_route(self, prefix: str, gateway: str | None) -> None:
        self.settings.put("route", prefix, gateway)

    def delete_hns_network(self, name: str) -> None:
        self.settings.put("hns", name, None)


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
    roots: SimulatedRoots = field(default_factory=SimulatedRoots)
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
        objection = "" if access.authorities else self.roots.objection(_host(url))
        if objection:
            raise PermanentError(objection, subject=_host(url))
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


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


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
