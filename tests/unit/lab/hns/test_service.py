"""What every function of the DLLs promises, whatever the object."""

import json

import pytest

from transom_lab.hns.faults import Fault, SwitchInterruption

V2 = {"Major": 2, "Minor": 0}
NULL_ID = "00000000-0000-0000-0000-000000000000"


def test_an_unknown_function_is_answered_not_implemented(hns):
    assert hns.code("HcnFlushEverything") == 0x80004001


def test_text_that_is_not_json_is_refused_as_hns_refuses_it(hns):
    from transom_lab.hns.service import Call

    assert hns.hns.call(Call("HcnCreateNetwork", text="{")).hresult == 0x803B001B
    assert hns.hns.call(Call("HcnCreateNetwork", text="[]")).hresult == 0x803B001B


@pytest.mark.parametrize(
    ("kind", "hresult"),
    [
        ("Network", 0x803B0001),
        ("Endpoint", 0x803B0002),
        ("Namespace", 0x80070490),
        ("LoadBalancer", 0x80070490),
        ("SdnRoute", 0x80070490),
    ],
)
def test_opening_what_is_not_there_names_the_kind(hns, kind, hresult):
    assert hns.code(f"HcnOpen{kind}", id_="1" * 8) == hresult


def test_an_object_keeps_the_id_its_maker_chose_and_ids_ignore_case(hns):
    wanted = "ABCDEF00-0000-0000-0000-000000000001"
    made = hns("HcnCreateNamespace", id_=wanted, document={"SchemaVersion": V2})
    assert made == wanted.lower()
    assert hns("HcnOpenNamespace", id_=wanted) == made
    assert hns.code("HcnCreateNamespace", id_=wanted, document={"SchemaVersion": V2}) == 0x800700B7


def test_the_null_id_means_any_id(hns):
    one = hns("HcnCreateNamespace", id_=NULL_ID, document={"SchemaVersion": V2})
    two = hns("HcnCreateNamespace", id_=NULL_ID, document={"SchemaVersion": V2})
    assert NULL_ID not in (one, two)
    assert one != two


def test_the_error_record_says_the_code_and_the_sentence(hns):
    answer = hns.raw("HcnOpenNetwork", id_="none")
    assert json.loads(answer.text) == {
        "Success": False,
        "Error": "The network was not found. ",
        "ErrorCode": 0x803B0001,
    }


def test_v1_tells_of_a_failure_in_its_response_and_not_by_the_hresult(hns):
    answer = hns.raw("HNSCall", id_="GET", parent="/networks/none")
    assert answer.hresult == 0
    assert json.loads(answer.text)["Success"] is False


def test_v1_says_its_version(new_hns):
    answer = new_hns(version=(15, 5)).v1("GET", "/globals/version")
    assert answer["Output"] == {"Major": 15, "Minor": 5}


def test_enumeration_filters_by_members_of_either_schema(hns):
    one = hns.network()
    two = hns.network("10.244.2.0/24", name="other")
    pod = hns.endpoint(one, Name="pod")
    hns.endpoint(two)
    assert hns.ids("Network", Name="VXLAN0") == [one]
    assert hns.ids("Endpoint", VirtualNetwork=one.upper()) == [pod]
    assert hns.ids("Endpoint", HostComputeNetwork=one) == [pod]
    assert len(hns.ids("Endpoint")) == 2


def test_every_call_is_logged_with_its_program_and_outcome(hns):
    hns.raw("HcnOpenNetwork", id_="none")
    (entry,) = hns.log
    assert (entry["program"], entry["function"], entry["hresult"]) == (
        "test.exe:1",
        "HcnOpenNetwork",
        "0x803b0001",
    )


def test_a_fault_fails_as_many_calls_as_asked_and_then_no_more(hns):
    hns.hns.faults.pending.append(Fault("HcnCreateNetwork", hresult=0x800705B4, count=2))
    document = {"Name": "n", "Type": "NAT", "SchemaVersion": V2}
    codes = [hns.code("HcnCreateNetwork", document=document) for _ in range(3)]
    assert codes == [0x800705B4, 0x800705B4, 0]


def test_a_fault_can_ask_for_a_text_in_the_call(hns):
    hns.hns.faults.pending.append(Fault("HcnCreateNetwork", hresult=0x80070005, match="unlucky"))
    lucky = {"Name": "lucky!", "Type": "NAT", "SchemaVersion": V2}
    assert hns.code("HcnCreateNetwork", document=lucky) == 0
    assert hns.code("HcnCreateNetwork", document={**lucky, "Name": "unlucky"}) == 0x80070005


def test_a_fault_of_v1_is_asked_by_method(hns):
    hns.hns.faults.pending.append(Fault("HNSCall POST", hresult=0x80070005))
    assert hns.v1("GET", "/networks")["Success"] is True
    assert hns.v1("POST", "/networks", {"Name": "n"})["ErrorCode"] == 0x80070005


def test_the_network_is_cut_once_when_a_switch_is_made_and_not_by_a_nat_network(hns):
    hns.hns.faults.interruption = SwitchInterruption(down_s=1.5, lose_addresses=True)
    hns.network(name="nat", kind="NAT")
    assert hns.host.interruptions == []
    hns.network("10.244.2.0/24", name="a")
    hns.network("10.244.3.0/24", name="b")
    assert hns.host.interruptions == [("eth0", 1.5, True)]


def test_a_reboot_forgets_what_is_not_persistent_and_detaches_the_rest(hns):
    kept = hns.network(name="kept")
    gone = hns.network("10.244.2.0/24", name="gone", Flags=8)
    pod = hns.endpoint(kept)
    hns.endpoint(gone)
    hns("HcnCreateNamespace", document={"SchemaVersion": V2})
    hns.v1("POST", f"/endpoints/{pod}/attach", {"SystemType": "Host"})
    with_target = hns.balancer("10.96.0.1", 443, endpoints=[pod]).text
    hns.balancer("10.96.0.2", 443)
    hns.hns.reboot()
    assert hns.ids("Network") == [kept]
    assert hns.ids("Endpoint") == [pod]
    assert hns.ids("LoadBalancer") == [with_target]
    assert len(hns.ids("Namespace")) == 1
    assert [a.name for a in hns.host.adapters()] == ["lo", "eth0"]


def test_a_reset_leaves_only_the_hosts_own_namespace(hns):
    network = hns.network()
    hns.balancer("10.96.0.1", 443, endpoints=[hns.endpoint(network)])
    hns("HcnCreateSdnRoute", document={"SchemaVersion": V2})
    hns.hns.reset()
    kinds = ("Network", "Endpoint", "LoadBalancer", "SdnRoute")
    assert [hns.ids(kind) for kind in kinds] == [[], [], [], []]
    (namespace,) = hns.ids("Namespace")
    assert hns.query("Namespace", namespace)["Type"] == "HostDefault"


def test_sdn_routes_are_kept_and_cannot_be_changed(hns):
    route = hns("HcnCreateSdnRoute", document={"SchemaVersion": V2, "Protocol": "any"})
    assert hns.query("SdnRoute", route)["Protocol"] == "any"
    assert hns.code("HcnModifySdnRoute", id_=route, document={}) == 0x803B0015
    hns("HcnDeleteSdnRoute", id_=route)
    assert hns.ids("SdnRoute") == []


def test_accelerated_networking_remembers_what_was_posted(hns):
    hns.v1("POST", "/accelnet", {"Mode": "x"})
    assert hns.v1("GET", "/accelnet")["Output"] == {"Mode": "x"}
    hns.v1("DELETE", "/accelnet")
    assert hns.v1("GET", "/accelnet")["Output"] == {}
