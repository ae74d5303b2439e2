"""The source address is reserved once and stays the same."""

import json

import pytest

from transom.errors import PermanentError
from transom.node.host.values import Completed, HnsState
from transom.node.layout import Layout
from transom.node.supervise.source_vip import Reservation
from transom.node.supervise.waiting import NotYet


@pytest.fixture
def reserve(site, made):
    """The address of the node's range, with what was said to the user."""

    def address(pods="10.244.3.0/24", plan=made.proxy.source_vip):
        kept = Layout().source_vip
        said = lambda text: site.lines.append(text.encode())  # noqa: E731
        return Reservation(site.host, plan, made.proxy.network, kept, said).address(pods)

    return address


def test_it_is_reserved_once_among_the_pods_addresses(site, made, reserve):
    assert {reserve() for _ in range(3)} == {"10.244.3.2"}
    assert len(site.host.processes.ran) == 1
    assert site.host.files.entries(made.leases) == ("10.244.3.2",)


def test_no_second_one_is_asked_for_when_our_note_is_lost_or_torn(site, reserve):
    first = reserve()
    site.host.files.remove(Layout().source_vip)
    assert reserve() == first
    site.host.files.write(Layout().source_vip, b'{"netw')
    assert reserve() == first
    assert len(site.host.processes.ran) == 1


def test_the_same_is_asked_for_when_the_leases_are_lost(site, made, reserve):
    site.host.files.make_directory(made.leases)
    site.host.files.write(made.leases + r"\10.244.3.2", b"a-pod\r\neth0")
    assert reserve() == "10.244.3.3"
    site.host.files.remove_tree(made.leases)
    assert reserve() == "10.244.3.3"


def test_another_is_taken_and_said_where_a_pod_got_it_meanwhile(site, made, reserve):
    assert reserve() == "10.244.3.2"
    site.host.files.write(made.leases + r"\10.244.3.2", b"a-pod\r\neth0")
    assert reserve() == "10.244.3.3"
    assert "10.244.3.2 cannot be had again" in site.text


def test_a_node_with_another_range_gets_another_and_says_so(site, reserve):
    reserve()
    assert reserve("10.244.9.0/24") == "10.244.9.2"
    assert "outside the node's range 10.244.9.0/24" in site.text
    assert json.loads(site.host.files.read(Layout().source_vip))["range"] == "10.244.9.0/24"


@pytest.mark.parametrize("output", ["not json", "{}", '{"ips": []}', '{"ips": [{"address": "x"}]}'])
@pytest.mark.parametrize("code", [0, 1])
def test_whatever_host_local_answers_instead_is_named(site, reserve, output, code):
    site.host.programs["host-local.exe"] = lambda *_: Completed(code=code, output=output)
    with pytest.raises(PermanentError, match="host-local gave no source address: "):
        reserve()


def test_a_network_with_an_endpoint_for_it_is_asked_for_that(site, made, reserve):
    from dataclasses import replace

    plan = replace(made.proxy.source_vip, endpoint="Calico_ep", reserve_with="")
    with pytest.raises(NotYet, match="no endpoint Calico_ep yet"):
        reserve(plan=plan)
    endpoint = {"ID": "e", "Name": "Calico_ep", "IpConfigurations": [{"IpAddress": "10.244.3.1"}]}
    site.host.vitals.hns_state = HnsState(endpoints=({"ID": "x", "Name": "x"}, endpoint))
    assert reserve(plan=plan) == "10.244.3.1"
