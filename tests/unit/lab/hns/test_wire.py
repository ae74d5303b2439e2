"""What goes over the wire comes out as it went in, and control requests do what they say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom_lab.hns.faults import Fault
from transom_lab.hns.service import Call
from transom_lab.hns.summary import summary
from transom_lab.hns.wire import control, decode, encode

text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(call=st.builds(Call, text, text, text, text, text))
def test_a_call_survives_the_wire(call):
    frame = encode(call)
    assert int.from_bytes(frame[:4], "little") == len(frame) - 4
    assert decode(frame[4:]) == call


@given(body=st.binary(max_size=40))
def test_any_other_bytes_are_refused_not_misread(body):
    try:
        call = decode(body)
    except ValueError:
        return
    assert encode(call)[4:] == body


def test_control_reaches_state_faults_and_calls(hns):
    control(hns.hns, {"do": "fault", "function": "HcnOpenNetwork", "hresult": 5, "count": 2})
    assert hns.hns.faults.pending == [Fault("HcnOpenNetwork", hresult=5, count=2)]
    assert control(hns.hns, {"do": "call", "function": "HcnOpenNetwork"})["hresult"] == 5
    control(hns.hns, {"do": "interrupt", "down_s": 2})
    control(hns.hns, {"do": "heal"})
    assert hns.hns.faults.pending == []
    assert hns.hns.faults.interruption is None
    hns.network()
    assert len(control(hns.hns, {"do": "state"})["objects"]["Network"]) == 1
    control(hns.hns, {"do": "reboot"})
    control(hns.hns, {"do": "reset"})
    assert control(hns.hns, {"do": "state"})["objects"]["Network"] == {}
    with pytest.raises(ValueError, match="unknown request 'x'"):
        control(hns.hns, {"do": "x"})


def test_the_summary_names_what_tests_wait_for(new_hns):
    hns = new_hns(switch_delay_s=0)
    network = hns.network()
    endpoint = hns.endpoint(network, "10.244.1.3", Name="pod1_vxlan0")
    hns.balancer("10.96.50.10", 80, endpoints=[endpoint])
    first, pod, balancer = summary(hns.hns.store.snapshot())
    assert first.startswith("network vxlan0 Overlay 10.244.1.0/24 management=10.0.0.11 drmac=00-15")
    assert "10.244.1.3 " in pod
    assert "local provider= name=pod1_vxlan0" in pod
    assert "vip=10.96.50.10 protocol=6 80->8080" in balancer
    assert balancer.endswith(f"endpoints={endpoint[:8]}")
