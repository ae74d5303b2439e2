"""Adapters, routes and DNS suffixes of Windows, and whether a place can be reached."""

import sys

assert sys.platform == "win32"

import ctypes
import ipaddress
from ctypes import wintypes
from typing import NamedTuple

from transom.errors import PermanentError
from transom.node.host import sockets
from transom.node.host.nouns.processes import Processes
from transom.node.host.nouns.web import Roots
from transom.node.host.values import Adapter, RegistryData
from transom.node.host.windows.error import failure
from transom.node.host.windows.handles import INVALID_HANDLE
from transom.node.host.windows.hns import WindowsHns
from transom.node.host.windows.registry import WindowsRegistry

_TCPIP = r"SYSTEM\CurrentControlSet\Services\Tcpip\Parameters"
_ROUTE_TIMEOUT_S = 30
_MORE_DATA, _NO_ROUTES, _TABLE_TRIES = 122, 232, 10

_iphlpapi = ctypes.WinDLL("iphlpapi", use_last_error=True)
_forward_table = _iphlpapi.GetIpForwardTable
_forward_table.argtypes = [ctypes.c_void_p, ctypes.POINTER(wintypes.ULONG), wintypes.BOOL]
_forward_table.restype = wintypes.DWORD
_ROW_WORDS = 14
_GATEWAY_WORD = 4  # destination, mask, policy, next hop
_ANY = ipaddress.IPv4Address(0)

_icmp_create = _iphlpapi.IcmpCreateFile
_icmp_create.argtypes = []
_icmp_create.restype = ctypes.c_void_p
_icmp_send = _iphlpapi.IcmpSendEcho
_icmp_send.argtypes = [
    *(ctypes.c_void_p, wintypes.ULONG, ctypes.c_char_p, wintypes.WORD),
    *(ctypes.c_void_p, ctypes.c_void_p, wintypes.DWORD, wintypes.DWORD),
]
_icmp_send.restype = wintypes.DWORD
_icmp_close = _iphlpapi.IcmpCloseHandle
_icmp_close.argtypes = [ctypes.c_void_p]
_icmp_close.restype = wintypes.BOOL
_ECHO = b"transom"
_REPLY_BYTES = 256
_ECHO_TIMEOUT_MS = 2000


class WindowsNetwork:
    """The network of this machine; routes are changed with route.exe, read where they are kept."""

    def __init__(
        self, registry: WindowsRegistry, processes: Processes, roots: Roots | None = None
    ) -> None:
        self._registry = registry
        self._processes = processes
        self._roots = roots
        self._hns = WindowsHns()

    def adapters(self) -> tuple[Adapter, ...]:
        interfaces = _TCPIP + r"\Interfaces"
        found = []
        for name in self._registry.keys(interfaces):
            key = rf"{interfaces}\{name}"
            dhcp = self._registry.get(key, "EnableDHCP")
            is_dhcp = dhcp is not None and dhcp.value == 1
            data = self._registry.get(key, "DhcpIPAddress" if is_dhcp else "IPAddress")
            if data is None:
                continue
            addresses = data.value if isinstance(data.value, tuple) else (str(data.value),)
            in_use = tuple(address for address in addresses if address and address != "0.0.0.0")  # noqa: S104 - what Windows stores for none
            if in_use:
                found.append(Adapter(name=name, addresses=in_use, dhcp=is_dhcp))
        return tuple(found)

    def dns_suffixes(self) -> tuple[str, ...]:
        found = self._registry.get(_TCPIP, "SearchList")
        text = "" if found is None else str(found.value)
        return tuple(part.strip() for part in text.split(",") if part.strip())

    def add_dns_suffix(self, suffix: str) -> None:
        suffixes = self.dns_suffixes()
        if suffix not in suffixes:
            self._put_suffixes((*suffixes, suffix))

    def remove_dns_suffix(self, suffix: str) -> None:
        self._put_suffixes(tuple(other for other in self.dns_suffixes() if other != suffix))

    def has_route(self, prefix: str) -> bool:
        network = ipaddress.IPv4Network(prefix)
        wanted = (network.network_address, network.netmask)
        return any((row.destination, row.mask) == wanted for row in _active_routes())

    def persistent_route(self, prefix: str) -> str | None:
        network = ipaddress.IPv4Network(prefix)
        for name in self._registry.names(_TCPIP + r"\PersistentRoutes"):
            address, mask, gateway, *_ = name.split(",")
            if (address, mask) == (str(network.network_address), str(network.netmask)):
                return gateway
        return None

    def put_route(self, prefix: str, gateway: str | None) -> None:
        network = ipaddress.IPv4Network(prefix)
        address, mask = str(network.network_address), str(network.netmask)
        if self.persistent_route(prefix) is not None:
            self._route("delete", address, "mask", mask)
        if gateway is not None:
            self._route("-p", "add", address, "mask", mask, gateway)

    def hns_network(self, name: str) -> bool:
        return any(network.get("Name") == name for network in self._hns.networks())

    def delete_hns_network(self, name: str) -> None:
        self._hns.delete_network(name)

    def reaches(self, host: str, port: int) -> bool:
        return sockets.reaches(host, port)

    def distrust(self, host: str, port: int, *, authorities: str) -> str:
        from transom.node.host.trust import distrust

        return distrust(host, port, roots=self._roots, authorities=authorities)

    def gateways(self) -> tuple[str, ...]:
        found = [row.gateway for row in _active_routes() if row.mask == _ANY == row.destination]
        return tuple(str(address) for address in dict.fromkeys(found) if address != _ANY)

    def answers(self, address: str) -> bool:
        return _echoes(ipaddress.IPv4Address(address))

    def is_free(self, port: int) -> bool:
        return sockets.is_free(port)

    def time_at(self, host: str, port: int) -> float | None:
        return sockets.time_at(host, port)

    def _put_suffixes(self, suffixes: tuple[str, ...]) -> None:
        if suffixes != self.dns_suffixes():
            data = RegistryData("string", ",".join(suffixes)) if suffixes else None
            self._registry.put(_TCPIP, "SearchList", data)

    def _route(self, *words: str) -> None:
        done = self._processes.run(["route.exe", *words], timeout_s=_ROUTE_TIMEOUT_S)
        if done.code != 0:
            raise PermanentError(
                f"route.exe {' '.join(words)} ended with {done.code}: {done.output.strip()}",
                subject=words[-1],
            )


class _ActiveRoute(NamedTuple):
    """A row of the routing table."""

    destination: ipaddress.IPv4Address
    mask: ipaddress.IPv4Address
    gateway: ipaddress.IPv4Address


def _active_routes() -> list[_ActiveRoute]:
    size, buffer = wintypes.ULONG(), ctypes.create_string_buffer(0)
    # Pods come and go, and routes with them: the table may have grown since its size was told.
    for _ in range(_TABLE_TRIES):
        code = _forward_table(buffer, ctypes.byref(size), False)
        if code != _MORE_DATA:
            break
        buffer = ctypes.create_string_buffer(size.value)
    if code == _NO_ROUTES:
        return []
    if code:
        raise failure("read", "the routing table", code)
    words = [int.from_bytes(buffer.raw[n : n + 4], "little") for n in range(0, size.value - 3, 4)]
    rows = [words[1 + n * _ROW_WORDS :][:_GATEWAY_WORD] for n in range(words[0])] if words else []
    return [_ActiveRoute(_address(row[0]), _address(row[1]), _address(row[-1])) for row in rows]


def _address(number: int) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(number.to_bytes(4, "little"))


def _echoes(address: ipaddress.IPv4Address) -> bool:
    handle = _icmp_create()
    if handle == INVALID_HANDLE:
        return False
    try:
        reply = ctypes.create_string_buffer(_REPLY_BYTES)
        target = int.from_bytes(address.packed, "little")
        sent = (handle, target, _ECHO, len(_ECHO), None, reply, _REPLY_BYTES, _ECHO_TIMEOUT_MS)
        # A router on the way may answer that the address is not there: that is no echo.
        return bool(_icmp_send(*sent)) and int.from_bytes(reply.raw[4:8], "little") == 0
    finally:
        _icmp_close(handle)
