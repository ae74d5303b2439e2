"""The two schemas say the same about policies."""

from hypothesis import given
from hypothesis import strategies as st

from transom_lab.hns.schema import policy_from_v1, policy_to_v1

settings = st.dictionaries(
    st.sampled_from(["DestinationPrefix", "NeedEncap", "Priority"]), st.integers()
)
policies = st.one_of(
    st.builds(
        lambda kind, id_: {"Type": kind, "Settings": {"IsolationId": id_}},
        st.sampled_from(["VSID", "VLAN"]),
        st.integers(0, 2**24),
    ),
    st.builds(
        lambda pa: {"Type": "ProviderAddress", "Settings": {"ProviderAddress": pa}},
        st.ip_addresses(v=4).map(str),
    ),
    st.builds(lambda s: {"Type": "SDNRoute", "Settings": s}, settings),
    st.builds(lambda s: {"Type": "ACL", "Settings": s}, settings),
    st.builds(
        lambda e: {"Type": "OutBoundNAT", "Settings": {"Exceptions": e}}, st.lists(st.text())
    ),
)


@given(policy=policies)
def test_a_policy_survives_the_way_to_v1_and_back(policy):
    assert policy_from_v1(policy_to_v1(policy)) == policy
