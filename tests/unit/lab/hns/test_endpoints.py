"""Endpoints: no address, MAC or port is given out twice, and none outside its network."""

import ipaddress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

V2 = {"Major": 2, "Minor": 0}
SMALL = ipaddress.ip_network("10.244.1.0/28")


def address_of(hns: Any, endpoint: str) -> Any:
    return hns.query("Endpoint", endpoint)["IpConfigurations"][0]["IpAddress"]


def refused(hns: Any, network: str, address: str) -> Any:
    document = {"SchemaVersion": V2, "IpConfigurations": [{"IpAddress": address}]}
    return hns.code("HcnCreateEndpoint", parent=network, document=document)


@given(
    steps=st.lists(
        st.one_of(
            st.just("any"),
            st.integers(0, 17).map(lambda n: str(SMALL.network_address + n)),
            st.integers(0, 20),
        ),
        max_size=40,
    )
)
def test_no_two_endpoints_of_a_network_ever_share_an_address_or_mac(new_hns_factory, steps):
    """Whatever is asked for and deleted, in any order: addresses are unique and inside."""
    hns = new_hns_factory()
    network = hns.network(str(SMALL))
    for step in steps:
        present = hns.ids("Endpoint")
        if isinstance(step, int):
            if present:
                hns("HcnDeleteEndpoint", id_=present[step % len(present)])
        else:
            document: dict[str, Any] = {"SchemaVersion": V2}
            if step != "any":
                document["IpConfigurations"] = [{"IpAddress": step}]
            hns.raw("HcnCreateEndpoint", parent=network, document=document)
        made = [hns.query("Endpoint", id_) for id_ in hns.ids("Endpoint")]
        addresses = [ipaddress.ip_address(e["IpConfigurations"][0]["IpAddress"]) for e in made]
        assert len(set(addresses)) == len(addresses)
        assert set(addresses) <= set(SMALL.hosts()) - {ipaddress.ip_address("10.244.1.1")}
        assert len({e["MacAddress"] for e in made}) == len(made)


@given(
    name=st.text(max_size=20),
    vsid=st.integers(1, 2**24),
    host=st.integers(2, 254),
    extra=st.dictionaries(st.sampled_from(["a", "b"]), st.integers()),
)
def test_what_is_created_is_what_is_queried_until_it_is_deleted(
    new_hns_factory, name, vsid, host, extra
):
    hns = new_hns_factory()
    network = hns.network()
    policies = [{"Type": "SDNRoute", "Settings": {"NeedEncap": True, "IsolationId": vsid, **extra}}]
    document = {
        "Name": name,
        "SchemaVersion": V2,
        "IpConfigurations": [{"IpAddress": f"10.244.1.{host}", "PrefixLength": 24}],
        "MacAddress": "0E-2A-0A-F4-01-02",
        "Policies": policies,
    }
    id_ = hns("HcnCreateEndpoint", parent=network, document=document)
    found = hns.query("Endpoint", id_)
    assert {key: found[key] for key in document} == document
    assert found["HostComputeNetwork"] == network
    hns("HcnDeleteEndpoint", id_=id_)
    assert hns.ids("Endpoint") == []
    assert hns.code("HcnOpenEndpoint", id_=id_) == 0x803B0002


def test_a_full_subnet_refuses_the_next_endpoint(hns):
    network = hns.network("10.244.1.0/30")
    assert address_of(hns, hns.endpoint(network)) == "10.244.1.2"
    document = {"SchemaVersion": V2}
    assert hns.code("HcnCreateEndpoint", parent=network, document=document) == 0x803B002F


def test_addresses_outside_malformed_reserved_or_taken_are_refused(hns):
    network = hns.network()
    hns.endpoint(network, "10.244.1.7")
    assert refused(hns, network, "10.244.2.7") == 0x803B001E
    assert refused(hns, network, "10.244.1") == 0x803B001E
    for reserved in ("10.244.1.0", "10.244.1.1", "10.244.1.255", "10.244.1.7"):
        assert refused(hns, network, reserved) == 0x803B002F


def test_one_endpoint_cannot_have_the_same_address_twice(hns):
    network = hns.network()
    twice = [{"IpAddress": "10.244.1.7"}] * 2
    document = {"SchemaVersion": V2, "IpConfigurations": twice}
    assert hns.code("HcnCreateEndpoint", parent=network, document=document) == 0x803B002F


def test_a_remote_endpoint_may_be_anywhere(hns):
    network = hns.network()
    remote = hns.endpoint(network, "10.244.2.5", Flags=1)
    assert hns.query("Endpoint", remote, major=1)["IsRemoteEndpoint"] is True


def test_an_endpoint_gets_the_prefix_length_and_routes_of_its_subnet(hns):
    found = hns.query("Endpoint", hns.endpoint(hns.network(), "10.244.1.9"))
    assert found["IpConfigurations"] == [{"PrefixLength": 24, "IpAddress": "10.244.1.9"}]
    assert found["Routes"] == [{"NextHop": "10.244.1.1", "DestinationPrefix": "0.0.0.0/0"}]


def test_a_mac_is_kept_in_windows_form_and_else_taken_from_the_pool(hns):
    network = hns.network()
    asked = hns.endpoint(network, MacAddress="0e:2a:0a:f4:01:02")
    assert hns.query("Endpoint", asked)["MacAddress"] == "0E-2A-0A-F4-01-02"
    given_mac = hns.query("Endpoint", hns.endpoint(network))["MacAddress"]
    (pool,) = hns.query("Network", network)["MacPool"]["Ranges"]
    assert pool["StartMacAddress"] <= given_mac <= pool["EndMacAddress"]


def test_a_network_without_subnets_leaves_addresses_to_others(hns):
    document = {"Name": "external", "Type": "Transparent", "SchemaVersion": V2}
    network = hns("HcnCreateNetwork", document=document)
    assert hns.query("Endpoint", hns.endpoint(network))["IpConfigurations"] == []


def test_a_host_port_is_mapped_to_one_endpoint_only(hns):
    network = hns.network()
    mapping = {"Protocol": 6, "InternalPort": 80, "ExternalPort": 8088}
    policies = [{"Type": "PortMapping", "Settings": mapping}]
    hns.endpoint(network, Policies=policies)
    document = {"SchemaVersion": V2, "Policies": policies}
    assert hns.code("HcnCreateEndpoint", parent=network, document=document) == 0x803B0013


def test_attached_to_the_host_an_endpoint_is_an_interface_with_its_address(hns):
    endpoint = hns.endpoint(hns.network(), "10.244.1.2")
    path = f"/endpoints/{endpoint}"
    assert hns.v1("POST", f"{path}/attach", {"SystemType": "Host"})["Success"] is True
    assert [str(a) for a in hns.host.adapters()[-1].addresses] == ["10.244.1.2/24"]
    assert hns.v1("POST", f"{path}/attach", {"SystemType": "Host"})["ErrorCode"] == 0x803B0014
    assert hns.v1("GET", path)["Output"]["State"] == 2
    hns.v1("POST", f"{path}/detach", {"SystemType": "Host"})
    assert len(hns.host.adapters()) == 2


def test_a_container_attaches_and_detaches_by_its_id(hns):
    endpoint = hns.endpoint(hns.network())
    path = f"/endpoints/{endpoint}"
    for _ in range(2):
        hns.v1("POST", f"{path}/attach", {"ContainerId": "c1", "SystemType": "Container"})
    assert hns.v1("GET", path)["Output"]["SharedContainers"] == ["c1"]
    hns.v1("POST", f"{path}/detach", {"ContainerId": "c1", "SystemType": "Container"})
    assert hns.v1("GET", path)["Output"]["SharedContainers"] == []


def test_policies_of_an_endpoint_are_added_removed_and_replaced(hns):
    endpoint = hns.endpoint(hns.network())

    def change(request: str, *policies: dict[str, Any]) -> Any:
        document = {
            "ResourceType": "Policy",
            "RequestType": request,
            "Settings": {"Policies": list(policies)},
        }
        hns("HcnModifyEndpoint", id_=endpoint, document=document)
        return hns.query("Endpoint", endpoint)["Policies"]

    one, two = {"Type": "ACL", "Settings": {"n": 1}}, {"Type": "ACL", "Settings": {"n": 2}}
    assert change("Add", one) == [one]
    assert change("Add", two) == [one, two]
    assert change("Remove", one) == [two]
    assert change("Update", one) == [one]
    assert hns.code("HcnModifyEndpoint", id_=endpoint, document={"ResourceType": "Port"}) != 0
