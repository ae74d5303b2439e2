"""The cmdlets flanneld runs change the host's routes, and nothing else is accepted."""

import json

import pytest

from transom_lab.hns.cmdlets import run_cmdlet
from transom_lab.hns.errors import HnsFailureError
from transom_lab.hns.host import Route

NEW = "New-NetRoute -InterfaceIndex 2 -DestinationPrefix 10.244.2.0/24 -NextHop  10.0.0.12 -Verbose"
GET = "Get-NetRoute -InterfaceIndex 2 -DestinationPrefix 10.244.2.0/24"
REMOVE = "Remove-NetRoute -InterfaceIndex 2 -DestinationPrefix 10.244.2.0/24 -NextHop 10.0.0.12"


@pytest.fixture
def host(hns):
    return hns.host


def test_a_route_is_made_found_and_removed(host):
    with pytest.raises(HnsFailureError, match="No MSFT_NetRoute objects"):
        run_cmdlet(host, GET)
    run_cmdlet(host, NEW)
    assert Route("10.244.2.0/24", "10.0.0.12", "eth0") in host.routes()
    assert json.loads(run_cmdlet(host, GET)) == [
        {"IfIndex": 2, "DestinationPrefix": "10.244.2.0/24", "NextHop": "10.0.0.12"}
    ]
    run_cmdlet(host, REMOVE)
    with pytest.raises(HnsFailureError, match="No such process"):
        run_cmdlet(host, REMOVE)


def test_the_default_routes_adapter_is_found_by_its_index(host):
    command = "Get-NetRoute | Where { $_.DestinationPrefix -eq '0.0.0.0/0' } | ConvertTo-Json"
    assert json.loads(run_cmdlet(host, command)) == {"ifIndex": 2}
    host.table.clear()
    with pytest.raises(HnsFailureError, match="default route"):
        run_cmdlet(host, command)


def test_every_route_is_listed(host):
    assert len(json.loads(run_cmdlet(host, "Get-NetRoute | ConvertTo-Json"))) == 1


def test_forwarding_is_set_on_the_adapter(host):
    run_cmdlet(host, "Set-NetIPInterface -ifIndex 2 -AddressFamily IPv4 -Forwarding Enabled")
    assert host.forwarding == {"eth0": True}
    with pytest.raises(HnsFailureError, match="'InterfaceIndex' equal to '9'"):
        run_cmdlet(host, "Set-NetIPInterface -ifIndex 9 -AddressFamily IPv4 -Forwarding Enabled")


def test_any_other_command_fails_and_is_named(host):
    with pytest.raises(HnsFailureError, match="unknown command 'Format-Volume"):
        run_cmdlet(host, "Format-Volume -DriveLetter C")
