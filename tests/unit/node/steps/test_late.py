"""What happens after a join where kubeadm leaves it to us: files to fill, settings to merge."""

import json
from dataclasses import replace

import pytest

from transom.errors import InternalError, PermanentError, TemporaryError
from transom.node.engine.step import NodeSpec
from transom.node.steps import STEPS
from transom.node.steps.kubelet_settings import KubeletSettings, merged
from transom.node.steps.late_files import LateFiles

LATE = r"C:\etc\cni\late.d\late.conf"
CONFIGURATION = r"C:\var\lib\kubelet\config.yaml"


@pytest.fixture
def want(recipe, secrets):
    return NodeSpec(recipe=recipe, join=secrets, joined_by_us=True)


@pytest.fixture
def joined(make_host, want):
    host = make_host()
    for step in STEPS:
        step.apply(host, step.check(host, want))
        if step.id == "join":
            return host
    raise AssertionError


def test_a_file_is_filled_with_the_nodes_range_and_then_left_alone(joined, want):
    LateFiles().apply(joined, LateFiles().check(joined, want))
    assert joined.files.read(LATE) == b'{"subnet": "10.244.3.0/24"}'
    joined.cluster.pod_ranges.clear()
    assert LateFiles().check(joined, want) == []
    joined.files.write(LATE, b'{"subnet": "nonsense"}')
    assert [entry.found for entry in LateFiles().check(joined, want)] == ["other content"]


def test_a_range_that_is_not_there_yet_is_waited_for(joined, want):
    joined.cluster.pod_ranges["win-01"] = ""
    with pytest.raises(TemporaryError, match="has not given win-01 a pod range yet"):
        LateFiles().apply(joined, LateFiles().check(joined, want))


def test_a_recipe_with_something_unknown_to_fill_is_a_defect(joined, want):
    file = replace(want.recipe.files[-1], fills=("moon",))
    odd = replace(want, recipe=replace(want.recipe, files=(file,)))
    with pytest.raises(InternalError, match="needs moon"):
        LateFiles().apply(joined, LateFiles().check(joined, odd))


def test_settings_are_merged_into_what_kubeadm_wrote(joined, want):
    text = b"featureGates:\n  Other: true\nkind: KubeletConfiguration\nmaxPods: 110\n"
    joined.files.write(CONFIGURATION, text)
    config = {"maxPods": 9, "featureGates": {"Ours": True}}
    kubelet = replace(want.recipe.kubelet, config=config)
    spec = replace(want, recipe=replace(want.recipe, kubelet=kubelet))
    assert [entry.subject for entry in KubeletSettings().check(joined, spec)] == list(config)
    KubeletSettings().apply(joined, KubeletSettings().check(joined, spec))
    assert json.loads(joined.files.read(CONFIGURATION)) == {
        "featureGates": {"Other": True, "Ours": True},
        "kind": "KubeletConfiguration",
        "maxPods": 9,
    }
    assert joined.services.running("kubelet")
    assert KubeletSettings().check(joined, spec) == []


def test_a_kubelet_that_stands_still_is_not_started(joined, want):
    joined.services.stop("kubelet")
    KubeletSettings().apply(joined, KubeletSettings().check(joined, want))
    assert not joined.services.running("kubelet")


def test_where_kubeadm_takes_a_patch_nothing_is_merged(joined, want):
    kubelet = replace(want.recipe.kubelet, patch_file=r"C:\k\patch.json")
    assert KubeletSettings().check(joined, replace_recipe(want, kubelet=kubelet)) == ()


def test_a_configuration_nobody_can_read_is_an_error(joined, want):
    joined.files.write(CONFIGURATION, b"a: |\n  b\n")
    with pytest.raises(PermanentError, match="line 1"):
        KubeletSettings().check(joined, want)


def test_an_empty_configuration_gets_all_settings(joined, want):
    joined.files.write(CONFIGURATION, b"")
    assert [entry.found for entry in KubeletSettings().check(joined, want)] == ["null"]


def test_merging_replaces_all_but_maps():
    assert merged({"a": [1], "b": 2}, {"a": [3]}) == {"a": [3], "b": 2}


def replace_recipe(want, **changes):
    return replace(want, recipe=replace(want.recipe, **changes))


def test_the_gateway_is_the_second_address_of_the_range(joined, want):
    text = '{"subnet": "{{nodePodCIDR}}", "GW": "{{nodePodGateway}}"}'
    fills = ("nodePodCIDR", "nodePodGateway")
    file = replace(want.recipe.files[-1], path=LATE, content=text, fills=fills)
    spec = replace_recipe(want, files=(file,))
    LateFiles().apply(joined, LateFiles().check(joined, spec))
    assert joined.files.read(LATE) == b'{"subnet": "10.244.3.0/24", "GW": "10.244.3.2"}'
    assert LateFiles().check(joined, spec) == []


ROUTE = '{"DestinationPrefix": "{{nodeAddress}}/32"}'


@pytest.fixture
def routed(want):
    """A file that needs the node's address and no range."""
    file = replace(want.recipe.files[-1], path=LATE, content=ROUTE, fills=("nodeAddress",))
    return replace_recipe(want, files=(file,))


def test_the_nodes_own_address_is_filled_in_also_where_it_has_no_range(joined, routed):
    joined.cluster.pod_ranges["win-01"] = ""
    joined.cluster.addresses = ("fd00::21", "10.1.0.21")
    LateFiles().apply(joined, LateFiles().check(joined, routed))
    assert joined.files.read(LATE) == b'{"DestinationPrefix": "10.1.0.21/32"}'
    assert LateFiles().check(joined, routed) == []


@pytest.mark.parametrize("addresses", [(), ("fd00::21",)])
def test_an_address_that_is_not_there_yet_is_waited_for(joined, routed, addresses):
    joined.cluster.addresses = addresses
    with pytest.raises(TemporaryError, match="win-01 has no IPv4 address yet"):
        LateFiles().apply(joined, LateFiles().check(joined, routed))


def test_a_node_that_the_cluster_does_not_know_yet_is_waited_for(joined, routed):
    joined.cluster.pod_ranges.clear()
    with pytest.raises(TemporaryError, match="the cluster has no node win-01 yet"):
        LateFiles().apply(joined, LateFiles().check(joined, routed))
