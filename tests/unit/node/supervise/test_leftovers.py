"""What kube-proxy leaves behind goes; what pods, plugins and other networks have stays."""

from hypothesis import given
from hypothesis import strategies as st

from transom.node.host.values import HnsState
from transom.node.supervise.leftovers import Removed, remove_leftovers
from transom.testing.simulated_host import SimulatedHost

OURS, OTHER = {"ID": "N1", "Name": "pods"}, {"ID": "N2", "Name": "nat"}
BOTH = ("balancers", "endpoints")


def endpoint(identity, *, network="n1", name="", remote=False, address="10.244.3.9"):
    return {
        "ID": identity,
        "Name": name,
        "HostComputeNetwork": network,
        "Flags": 1 if remote else 0,
        "IpConfigurations": [{"IpAddress": address}],
    }


def after(endpoints, balancers, leaves=BOTH):
    host = SimulatedHost()
    host.vitals.hns_state = HnsState(
        networks=(OURS, OTHER), endpoints=tuple(endpoints), balancers=tuple(balancers)
    )
    removed = remove_leftovers(host.hns, leaves, network="pods", source_vip="10.244.3.2")
    state = host.hns.state()
    return removed, [e["ID"] for e in state.endpoints], [b["ID"] for b in state.balancers]


def test_remote_endpoints_old_sources_orphans_and_balancers_go():
    removed, endpoints, balancers = after(
        [
            endpoint("remote", remote=True),
            endpoint("old source"),
            endpoint("source", address="10.244.3.2"),
            endpoint("pod", name="pod1_pods"),
            endpoint("other's", network="N2"),
            endpoint("orphan", network="gone"),
            endpoint("orphaned pod", network="gone", name="pod2"),
        ],
        [
            {"ID": "ours", "HostComputeEndpoints": ["REMOTE"]},
            {"ID": "stale", "HostComputeEndpoints": ["deleted"]},
            {"ID": "other's", "HostComputeEndpoints": ["other's"]},
            {"ID": "empty"},
        ],
    )
    assert endpoints == ["source", "pod", "other's", "orphaned pod"]
    assert balancers == ["other's", "empty"]
    assert removed == Removed(balancers=2, endpoints=3)


def test_only_what_the_program_is_known_to_leave_is_looked_for():
    removed, endpoints, _ = after([endpoint("remote", remote=True)], [], leaves=())
    assert (removed, endpoints) == (Removed(0, 0), ["remote"])


ENDPOINTS = st.lists(
    st.builds(
        endpoint,
        st.uuids().map(str),
        network=st.sampled_from(["n1", "N2", "gone", ""]),
        name=st.sampled_from(["", "pod1"]),
        remote=st.booleans(),
        address=st.sampled_from(["10.244.3.2", "10.244.3.9"]),
    ),
    max_size=8,
)


@given(ENDPOINTS)
def test_nothing_with_a_name_and_nothing_of_another_network_is_ever_removed(endpoints):
    _, left, _ = after(endpoints, [])
    kept = [e["ID"] for e in endpoints if e["Name"] or e["HostComputeNetwork"] == "N2"]
    assert set(kept) <= set(left)
