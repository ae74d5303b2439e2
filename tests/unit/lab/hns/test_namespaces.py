"""Namespaces: an endpoint is in one at most, and survives it."""

from typing import Any

V2 = {"Major": 2, "Minor": 0}


def change(hns: Any, namespace: str, request: str, endpoint: str) -> Any:
    document = {
        "ResourceType": "Endpoint",
        "RequestType": request,
        "Settings": {"EndpointId": endpoint},
    }
    return hns.code("HcnModifyNamespace", id_=namespace, document=document)


def test_an_endpoint_is_in_one_namespace_at_most(hns):
    endpoint = hns.endpoint(hns.network())
    one, two = (hns("HcnCreateNamespace", document={"SchemaVersion": V2}) for _ in range(2))
    assert change(hns, one, "Add", endpoint) == 0
    assert change(hns, two, "Add", endpoint) == 0x803B002B
    assert hns.query("Namespace", one)["Resources"] == [
        {"Type": "Endpoint", "Data": {"Id": endpoint}}
    ]
    assert hns.query("Endpoint", endpoint)["HostComputeNamespace"] == one
    assert change(hns, two, "Remove", endpoint) == 0x80070490
    assert change(hns, one, "Remove", endpoint) == 0
    assert change(hns, two, "Add", endpoint) == 0


def test_an_endpoint_outlives_its_namespace_and_the_namespace_its_endpoint(hns):
    network = hns.network()
    endpoint, other = hns.endpoint(network), hns.endpoint(network)
    one, two = (hns("HcnCreateNamespace", document={"SchemaVersion": V2}) for _ in range(2))
    change(hns, one, "Add", endpoint)
    change(hns, two, "Add", other)
    hns("HcnDeleteNamespace", id_=one)
    assert "HostComputeNamespace" not in hns.query("Endpoint", endpoint)
    hns("HcnDeleteEndpoint", id_=other)
    assert hns.query("Namespace", two)["Resources"] == []


def test_namespaces_have_different_numbers(hns):
    ids = [hns("HcnCreateNamespace", document={"SchemaVersion": V2}) for _ in range(3)]
    assert len({hns.query("Namespace", id_)["NamespaceId"] for id_ in ids}) == 3


def test_only_endpoints_go_into_a_namespace(hns):
    namespace = hns("HcnCreateNamespace", document={"SchemaVersion": V2})
    request = {"ResourceType": "Container", "RequestType": "Add"}
    assert hns.code("HcnModifyNamespace", id_=namespace, document=request) == 0x803B0015
