"""Networks: what is refused, what is filled in, and that policies are kept exactly."""

from typing import Any

import pytest

V2 = {"Major": 2, "Minor": 0}
ROUTE = {
    "DestinationPrefix": "10.244.2.0/24",
    "IsolationId": 4096,
    "ProviderAddress": "10.0.0.12",
    "DistributedRouterMacAddress": "00-15-5D-00-00-01",
}


def modify(
    hns: Any, network: str, change: str, settings: dict[str, Any], kind: str = "RemoteSubnetRoute"
) -> Any:
    policies = [{"Type": kind, "Settings": settings}]
    request = {
        "ResourceType": "Policy",
        "RequestType": change,
        "Settings": {"Policies": policies},
    }
    return hns.code("HcnModifyNetwork", id_=network, document=request)


def policies(hns: Any, network: str, kind: str) -> list[Any]:
    return [p["Settings"] for p in hns.query("Network", network)["Policies"] if p["Type"] == kind]


def test_an_unknown_type_is_refused(hns):
    document = {"Name": "n", "Type": "Mesh", "SchemaVersion": V2}
    assert hns.code("HcnCreateNetwork", document=document) == 0x803B000B


def test_a_second_network_of_the_same_name_is_refused_in_any_case(hns):
    hns.network(name="cbr0")
    document = {"Name": "CBR0", "Type": "NAT", "SchemaVersion": V2}
    assert hns.code("HcnCreateNetwork", document=document) == 0x803B0010


@pytest.mark.parametrize("prefix", ["", "10.0.0.1/24", "nonsense", None])
def test_a_subnet_that_is_no_prefix_is_refused(hns, prefix):
    ipams = [{"Subnets": [{"IpAddressPrefix": prefix}]}]
    document = {"Name": "n", "Type": "NAT", "SchemaVersion": V2, "Ipams": ipams}
    assert hns.code("HcnCreateNetwork", document=document) == 0x803B0030


def test_an_overlay_subnet_needs_its_vsid(hns):
    ipams = [{"Subnets": [{"IpAddressPrefix": "10.244.1.0/24"}]}]
    document = {"Name": "n", "Type": "Overlay", "SchemaVersion": V2, "Ipams": ipams}
    assert hns.code("HcnCreateNetwork", document=document) == 0x803B000D


def test_a_network_on_an_adapter_that_is_not_there_is_refused(hns):
    named = [{"Type": "NetAdapterName", "Settings": {"NetworkAdapterName": "Ethernet 7"}}]
    document = {"Name": "n", "Type": "L2Bridge", "SchemaVersion": V2, "Policies": named}
    assert hns.code("HcnCreateNetwork", document=document) == 0x803B0006


def test_the_management_address_appears_only_once_the_switch_is_up(new_hns):
    hns = new_hns(switch_delay_s=0.7)
    network = hns.network()
    assert "ManagementIP" not in hns.query("Network", network, major=1)
    assert policies(hns, network, "ProviderAddress") == []
    hns.now += 1
    assert hns.query("Network", network, major=1)["ManagementIP"] == "10.0.0.11"
    assert policies(hns, network, "ProviderAddress") == [{"ProviderAddress": "10.0.0.11"}]
    assert len(policies(hns, network, "DrMacAddress")) == 1


def test_two_overlay_hosts_have_different_router_macs(new_hns):
    macs = set()
    for _ in range(2):
        hns = new_hns(switch_delay_s=0)
        macs.add(policies(hns, hns.network(), "DrMacAddress")[0]["Address"])
    assert len(macs) == 2


def test_a_remote_subnet_is_added_once_and_removed_by_its_prefix(hns):
    network = hns.network()
    assert modify(hns, network, "Add", ROUTE) == 0
    assert modify(hns, network, "Add", {**ROUTE, "ProviderAddress": "10.0.0.13"}) == 0x803B0012
    assert policies(hns, network, "RemoteSubnetRoute") == [ROUTE]
    assert modify(hns, network, "Remove", ROUTE) == 0
    assert modify(hns, network, "Remove", ROUTE) == 0x803B0008


def test_an_incomplete_remote_subnet_is_refused(hns):
    network = hns.network()
    for missing in ROUTE:
        some = {key: value for key, value in ROUTE.items() if key != missing}
        assert modify(hns, network, "Add", some) == 0x803B000D


def test_an_update_replaces_every_policy_of_its_type_and_no_other(hns):
    network = hns.network()
    modify(hns, network, "Add", ROUTE)
    modify(hns, network, "Add", {"a": 1}, kind="Other")
    changed = {**ROUTE, "DestinationPrefix": "10.244.3.0/24"}
    assert modify(hns, network, "Update", changed) == 0
    assert policies(hns, network, "RemoteSubnetRoute") == [changed]
    assert policies(hns, network, "Other") == [{"a": 1}]


def test_only_policies_of_a_network_can_be_changed(hns):
    network = hns.network()
    request = {"ResourceType": "Subnet", "RequestType": "Add"}
    assert hns.code("HcnModifyNetwork", id_=network, document=request) == 0x803B0015


def test_deleting_a_network_takes_its_endpoints_and_no_others(hns):
    one, two = hns.network(), hns.network("10.244.2.0/24", name="two")
    hns.endpoint(one)
    kept = hns.endpoint(two)
    hns("HcnDeleteNetwork", id_=one)
    assert hns.ids("Network") == [two]
    assert hns.ids("Endpoint") == [kept]


def test_a_network_made_in_v1_is_the_same_network_in_v2(hns):
    document = {
        "Name": "cbr0",
        "Type": "L2Bridge",
        "NetworkAdapterName": "eth0",
        "DNSServerList": "10.96.0.10",
        "Subnets": [{"AddressPrefix": "10.244.1.0/24", "GatewayAddress": "10.244.1.1"}],
        "Policies": [{"Type": "VLAN", "VLAN": 7}],
    }
    output = hns.v1("POST", "/networks", document)["Output"]
    (id_,) = hns.ids("Network", Name="cbr0")
    assert output["ID"] == id_.upper()
    v2 = hns.query("Network", id_)
    assert v2["Ipams"][0]["Subnets"][0]["IpAddressPrefix"] == "10.244.1.0/24"
    assert {"Type": "VLAN", "Settings": {"IsolationId": 7}} in v2["Policies"]
    assert {"Type": "VLAN", "VLAN": 7} in output["Policies"]
    assert output["DNSServerList"] == "10.96.0.10"
    assert hns.v1("DELETE", f"/networks/{id_}")["Success"] is True
    assert hns.v1("GET", "/networks")["Output"] == []
