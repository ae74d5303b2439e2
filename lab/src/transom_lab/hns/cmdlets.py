"""The NetTCPIP cmdlets that flanneld.exe runs through powershell.exe, on the host's own network.

Texts of commands are flannel's (github.com/flannel-io/flannel v0.28.0, pkg/routing and
pkg/ip for Windows). Any other command fails with a message that names it.
"""

import json
import re
from collections.abc import Callable

from transom_lab.hns.errors import Code, HnsFailureError
from transom_lab.hns.host import HostNetwork, NetworkCommandError, Route


def run_cmdlet(host: HostNetwork, command: str) -> str:
    """Run one command line; what it prints.

    Raises:
        HnsFailureError: the command is not known, or the host's network refused it.
    """
    for pattern, cmdlet in _CMDLETS:
        if found := re.search(pattern, command):
            try:
                return cmdlet(host, found)
            except NetworkCommandError as error:
                raise HnsFailureError(Code.FAIL, str(error)) from None
    raise HnsFailureError(Code.FAIL, f"powershell stand-in: unknown command {command!r}")


def _rows(host: HostNetwork, routes: list[Route]) -> str:
    index = {adapter.name: adapter.index for adapter in host.adapters()}
    rows = [
        {
            "IfIndex": index.get(route.adapter, 0),
            "DestinationPrefix": route.prefix,
            "NextHop": route.next_hop,
        }
        for route in routes
    ]
    return json.dumps(rows)


def _name(host: HostNetwork, index: str) -> str:
    for adapter in host.adapters():
        if adapter.index == int(index):
            return adapter.name
    raise NetworkCommandError(
        f"No MSFT_NetIPInterface objects found with property 'InterfaceIndex' equal to '{index}'."
    )


def _get_one(host: HostNetwork, found: re.Match[str]) -> str:
    adapter, prefix = _name(host, found[1]), found[2]
    matching = [r for r in host.routes() if r.adapter == adapter and r.prefix == prefix]
    if not matching:
        raise NetworkCommandError(
            f"No MSFT_NetRoute objects found with property 'DestinationPrefix' equal to '{prefix}'."
        )
    return _rows(host, matching)


def _get_default(host: HostNetwork, _: re.Match[str]) -> str:
    name = host.default_adapter()
    index = {adapter.name: adapter.index for adapter in host.adapters()}
    if name not in index:
        raise NetworkCommandError("there is no default route")
    return json.dumps({"ifIndex": index[name]})


def _get_all(host: HostNetwork, _: re.Match[str]) -> str:
    return _rows(host, host.routes())


def _new(host: HostNetwork, found: re.Match[str]) -> str:
    host.add_route(Route(prefix=found[2], next_hop=found[3], adapter=_name(host, found[1])))
    return ""


def _remove(host: HostNetwork, found: re.Match[str]) -> str:
    host.remove_route(Route(prefix=found[2], next_hop=found[3], adapter=_name(host, found[1])))
    return ""


def _forwarding(host: HostNetwork, found: re.Match[str]) -> str:
    host.set_forwarding(_name(host, found[1]), enabled=found[2] == "Enabled")
    return ""


_ON_ROUTE = r"-InterfaceIndex (\d+) -DestinationPrefix (\S+)"
_CMDLETS: tuple[tuple[str, Callable[[HostNetwork, re.Match[str]], str]], ...] = (
    (rf"Get-NetRoute {_ON_ROUTE}", _get_one),
    (r"Get-NetRoute \| Where .*'0\.0\.0\.0/0'", _get_default),
    (r"Get-NetRoute", _get_all),
    (rf"New-NetRoute {_ON_ROUTE} -NextHop\s+(\S+)", _new),
    (rf"Remove-NetRoute {_ON_ROUTE} -NextHop\s+(\S+)", _remove),
    (r"Set-NetIPInterface -ifIndex (\d+) .*-Forwarding (\w+)", _forwarding),
)
