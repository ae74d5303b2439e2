"""Load balancers: one owner per frontend, targets that exist, updates by version."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom_lab.hns.balancers import frontends

V2 = {"Major": 2, "Minor": 0}


def document(vip: str = "10.96.0.1", port: int = 443, **members: Any) -> dict[str, Any]:
    mapping = {"Protocol": 6, "InternalPort": 8080, "ExternalPort": port}
    return {"SchemaVersion": V2, "FrontendVIPs": [vip], "PortMappings": [mapping], **members}


@given(
    asked=st.lists(
        st.tuples(st.sampled_from(["", "10.96.0.1", "10.96.0.2"]), st.integers(1, 3)), max_size=12
    )
)
def test_no_two_balancers_ever_answer_on_the_same_frontend(new_hns_factory, asked):
    hns = new_hns_factory()
    for vip, port in asked:
        hns.balancer(vip, port)
    kept = [frontends(hns.query("LoadBalancer", id_)) for id_ in hns.ids("LoadBalancer")]
    assert sum(len(one) for one in kept) == len(set().union(*kept))
    assert len(kept) == len(set(asked))


def test_the_same_vip_exists_and_the_same_host_port_is_taken(hns):
    hns.balancer("10.96.0.1", 443)
    hns.balancer("", 30080)
    assert hns.balancer("10.96.0.1", 443).hresult == 0x800700B7
    assert hns.balancer("", 30080).hresult == 0x803B0013


def test_families_do_not_collide(hns):
    assert hns.code("HcnCreateLoadBalancer", document=document("", 30080)) == 0
    assert hns.code("HcnCreateLoadBalancer", document=document("", 30080, Flags=2)) == 0


@pytest.mark.parametrize(
    ("members", "hresult"),
    [
        ({"PortMappings": []}, 0x80070057),
        ({"PortMappings": [{"ExternalPort": 80}]}, 0x803B002D),
        ({"HostComputeEndpoints": ["none"]}, 0x803B0002),
    ],
)
def test_what_is_incomplete_is_refused(hns, members, hresult):
    assert hns.code("HcnCreateLoadBalancer", document=document(**members)) == hresult


def test_before_15_5_a_balancer_cannot_be_changed(new_hns):
    old, new = new_hns(version=(14, 0)), new_hns(version=(15, 5))
    codes = []
    for hns in (old, new):
        id_ = hns.balancer("10.96.0.1", 443).text
        answer = hns.balancer("10.96.0.1", 8443, function="HcnModifyLoadBalancer", id_=id_)
        codes.append(answer.hresult)
    assert codes == [0x80004001, 0]
    assert new.query("LoadBalancer", id_)["PortMappings"][0]["ExternalPort"] == 8443


def test_a_deleted_endpoint_is_no_longer_a_target(hns):
    network = hns.network()
    kept, gone = hns.endpoint(network), hns.endpoint(network)
    id_ = hns.balancer("10.96.0.1", 443, endpoints=[kept, gone.upper()]).text
    hns("HcnDeleteEndpoint", id_=gone)
    assert hns.query("LoadBalancer", id_)["HostComputeEndpoints"] == [kept]


def test_v1_shows_a_balancer_as_a_policy_list(hns):
    endpoint = hns.endpoint(hns.network())
    id_ = hns.balancer("10.96.0.1", 443, endpoints=[endpoint]).text
    (shown,) = hns.v1("GET", "/policylists")["Output"]
    assert shown["ID"] == id_.upper()
    assert shown["References"] == [f"/endpoints/{endpoint.upper()}"]
    assert shown["Policies"][0]["VIPs"] == ["10.96.0.1"]
    assert hns.v1("POST", "/policylists", {})["ErrorCode"] == 0x803B0015
    hns.v1("DELETE", f"/policylists/{id_}")
    assert hns.ids("LoadBalancer") == []
