"""The door to the network of the host that HNS belongs to: adapters, addresses and routes.

HNS looks at them (which adapter carries the switch) and shows itself in them (an endpoint of the
host is an interface). `LinuxNetwork` must run inside the host's network namespace.
"""

import ipaddress
import json
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import Any, Protocol

IPv4Interface = ipaddress.IPv4Interface
_COMMAND_TIMEOUT_S = 20


class NetworkCommandError(Exception):
    """The host's network refused a change; the text says why."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """One network adapter of the host."""

    name: str
    index: int
    addresses: tuple[IPv4Interface, ...] = ()


@dataclass(frozen=True, slots=True)
class Route:
    """One IPv4 route of the host."""

    prefix: str
    next_hop: str
    adapter: str


class HostNetwork(Protocol):
    """What HNS needs to know of, and do to, the host's network."""

    def adapters(self) -> list[Adapter]:
        """Every adapter."""

    def default_adapter(self) -> str:
        """The adapter of the default route, or an empty string."""

    def routes(self) -> list[Route]:
        """Every IPv4 route."""

    def add_route(self, route: Route) -> None:
        """Add a route or raise `NetworkCommandError`."""

    def remove_route(self, route: Route) -> None:
        """Remove a route or raise `NetworkCommandError`."""

    def set_forwarding(self, adapter: str, *, enabled: bool) -> None:
        """Let the host forward what arrives on an adapter, or not."""

    def add_interface(self, name: str, mac: str, address: str) -> None:
        """Make an interface with an address or raise `NetworkCommandError`."""

    def remove_interface(self, name: str) -> None:
        """Remove an interface made by `add_interface`; none is no error."""

    def interrupt(self, adapter: str, *, down_s: float, lose_addresses: bool) -> None:
        """Take an adapter down for a while, and back, with or without its addresses."""


def _ip(*arguments: str) -> str:
    done = subprocess.run(
        ["ip", *arguments], capture_output=True, text=True, check=False, timeout=_COMMAND_TIMEOUT_S
    )
    if done.returncode:
        raise NetworkCommandError(done.stderr.strip() or f"ip {' '.join(arguments)} failed")
    return done.stdout


def _ip_json(*arguments: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(_ip("-j", *arguments) or "[]")
    return rows


class LinuxNetwork:
    """`HostNetwork` by ip(8), in the namespace this process runs in."""

    def adapters(self) -> list[Adapter]:
        """Every adapter."""
        return [
            Adapter(
                name=row["ifname"],
                index=row["ifindex"],
                addresses=tuple(
                    IPv4Interface(f"{address['local']}/{address['prefixlen']}")
                    for address in row.get("addr_info", [])
                    if "local" in address
                ),
            )
            for row in _ip_json("-4", "addr")
            if "ifname" in row
        ]

    def default_adapter(self) -> str:
        """The adapter of the default route, or an empty string."""
        return next((r.adapter for r in self.routes() if r.prefix == "0.0.0.0/0"), "")

    def routes(self) -> list[Route]:
        """Every IPv4 route."""
        return [
            Route(
                prefix=_prefix(row["dst"]),
                next_hop=row.get("gateway", "0.0.0.0"),  # noqa: S104 - "on link", as Windows says it
                adapter=row.get("dev", ""),
            )
            for row in _ip_json("-4", "route")
        ]

    def add_route(self, route: Route) -> None:
        """Add a route or raise `NetworkCommandError`."""
        _ip("route", "add", route.prefix, "via", route.next_hop, "dev", route.adapter, "onlink")

    def remove_route(self, route: Route) -> None:
        """Remove a route or raise `NetworkCommandError`."""
        _ip("route", "del", route.prefix, "via", route.next_hop, "dev", route.adapter)

    def set_forwarding(self, adapter: str, *, enabled: bool) -> None:
        """Let the host forward what arrives on an adapter, or not."""
        key = f"net.ipv4.conf.{adapter}.forwarding={int(enabled)}"
        done = subprocess.run(
            ["sysctl", "-qw", key],
            capture_output=True,
            text=True,
            check=False,
            timeout=_COMMAND_TIMEOUT_S,
        )
        if done.returncode:
            raise NetworkCommandError(done.stderr.strip())

    def add_interface(self, name: str, mac: str, address: str) -> None:
        """Make an interface with an address or raise `NetworkCommandError`."""
        # A veth pair, because the "dummy" module is not in every kernel.
        peer = f"{name}p"
        _ip("link", "add", name, "address", mac, "type", "veth", "peer", "name", peer)
        _ip("addr", "add", address, "dev", name)
        _ip("link", "set", peer, "up")
        _ip("link", "set", name, "up")

    def remove_interface(self, name: str) -> None:
        """Remove an interface made by `add_interface`; none is no error."""
        if any(adapter.name == name for adapter in self.adapters()):
            _ip("link", "del", name)

    def interrupt(self, adapter: str, *, down_s: float, lose_addresses: bool) -> None:
        """Take an adapter down for a while, and back, with or without its addresses."""
        kept = [r for r in self.routes() if r.adapter == adapter and r.next_hop != "0.0.0.0"]  # noqa: S104
        _ip("link", "set", adapter, "down")
        if lose_addresses:
            _ip("addr", "flush", "dev", adapter)
        args = (adapter, down_s, [] if lose_addresses else kept)
        threading.Thread(target=_restore, args=args, daemon=True).start()


def _restore(adapter: str, down_s: float, routes: list[Route]) -> None:
    time.sleep(down_s)
    _ip("link", "set", adapter, "up")
    for route in routes:
        _ip("route", "replace", route.prefix, "via", route.next_hop, "dev", adapter, "onlink")


def _prefix(destination: str) -> str:
    if destination == "default":
        return "0.0.0.0/0"
    return destination if "/" in destination else f"{destination}/32"
