"""Adapters, routes and DNS suffixes of Windows, and whether a place can be reached."""

import sys

assert sys.platform == "win32"

import ctypes
import ipaddress
import socket
from ctypes import wintypes

from transom.errors import PermanentError
from transom.node.host.protocols import Processes
from transom.node.host.values import Adapter, RegistryData
from transom.node.host.windows_error import failure
from transom.node.host.windows_hns import WindowsHns
from transom.node.host.windows_registry import WindowsRegistry

_TCPIP = r"SYSTEM\CurrentControlSet\Services\Tcpip\Parameters"
_ROUTE_TIMEOUT_S = 30
_REACH_TIMEOUT_S = 5.0
_MORE_DATA = 122

_iphlpapi = ctypes.WinDLL("iphlpapi", use_last_error=True)
_forward_table = _iphlpapi.GetIpForwardTable
_forward_table.argtypes = [ctypes.c_void_p, ctypes.POINTER(wintypes.ULONG), wintypes.BOOL]
_forward_table.restype = wintypes.DWORD
_ROW_WORDS = 14


class WindowsNetwork:
    """The network of this machine; routes are changed with route.exe, read where they are kept."""

    def __init__(self, registry: WindowsRegistry, processes: Processes) -> None:
        self._registry = registry
        self._processes = processes
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
        return (network.network_address, network.netmask) in _active_routes()

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
        try:
            socket.create_connection((host, port), timeout=_REACH_TIMEOUT_S).close()
        except OSError:
            return False
        return True

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


def _active_routes() -> set[tuple[ipaddress.IPv4Address, ipaddress.IPv4Address]]:
    size = wintypes.ULONG()
    code = _forward_table(None, ctypes.byref(size), False)
    buffer = ctypes.create_string_buffer(size.value)
    if code == _MORE_DATA:
        code = _forward_table(buffer, ctypes.byref(size), False)
    if code:
        raise failure("read", "the routing table", code)
    words = [int.from_bytes(buffer.raw[n : n + 4], "little") for n in range(0, size.value - 3, 4)]
    rows = [words[1 + n * _ROW_WORDS :][:2] for n in range(words[0])] if words else []
    return {(_address(destination), _address(mask)) for destination, mask in rows}


def _address(number: int) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(number.to_bytes(4, "little"))
