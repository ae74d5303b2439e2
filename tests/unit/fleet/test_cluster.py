"""What is read from a cluster, and what is said where it cannot be."""

import asyncio
import json

import pytest
import yaml
from tests.simulation import config_maps
from tests.support.cluster import MemoryApi

from transom.errors import UnsupportedError, UsageError
from transom.fleet.cluster import network_of, read_entry
from transom.model.fleet import FlannelSpec, NetworkMode


def read(maps):
    entry = asyncio.run(read_entry(MemoryApi(server_version="1.37.1", config_maps=maps)))
    return entry, network_of(entry)


def test_a_kubeadm_cluster_with_flannel_tells_everything():
    entry, network = read(config_maps())
    assert (entry.version, entry.endpoint) == ("1.37.1", "10.0.0.1:6443")
    assert entry.ca_hashes[0].startswith("sha256:")
    assert network.pod_cidrs == ("10.244.0.0/16",)
    assert network.service_cidrs == ("10.96.0.0/12",)
    assert network.cluster_dns == ("10.96.0.10",)
    assert network.plugin == FlannelSpec(mode=NetworkMode.OVERLAY, vni=4096, port=4789)


def test_everything_that_is_missing_is_named_at_once():
    with pytest.raises(UsageError) as caught:
        read({})
    for name in ("cluster-info", "kubeadm-config", "kubelet-config"):
        assert name in caught.value.message


def test_a_cluster_without_flannel_is_said_to_be_one():
    maps = config_maps()
    del maps["kube-flannel", "kube-flannel-cfg"]
    with pytest.raises(UsageError, match="cannot tell the cluster's pod network"):
        read(maps)


def test_host_gw_is_l2bridge():
    _, network = read(config_maps({"Network": "10.244.0.0/16", "Backend": {"Type": "host-gw"}}))
    assert network.plugin == FlannelSpec(mode=NetworkMode.L2BRIDGE)


@pytest.mark.parametrize(
    ("backend", "said"),
    [({"Type": "wireguard"}, "no counterpart"), ({"Type": "vxlan"}, "VNI and port of Linux")],
)
def test_what_windows_cannot_is_refused(backend, said):
    with pytest.raises(UnsupportedError, match=said):
        read(config_maps({"Network": "10.244.0.0/16", "Backend": backend}))


@pytest.mark.parametrize(
    ("place", "key"),
    [
        (("kube-public", "cluster-info"), "kubeconfig"),
        (("kube-flannel", "kube-flannel-cfg"), "net-conf.json"),
    ],
)
def test_a_map_that_cannot_be_read_is_named(place, key):
    maps = config_maps()
    maps[place] = {key: "{"}
    with pytest.raises(UsageError, match=place[1]):
        read(maps)


@pytest.mark.parametrize(
    "arguments",
    [
        {"feature-gates": "A=true, B=false", "v": "2"},
        [{"name": "v", "value": "2"}, {"name": "feature-gates", "value": "A=true,B=False"}],
    ],
)
def test_the_gates_of_the_api_server_are_read_in_both_forms(arguments):
    maps = config_maps()
    place = ("kube-system", "kubeadm-config")
    document = yaml.safe_load(maps[place]["ClusterConfiguration"])
    document["apiServer"] = {"extraArgs": arguments}
    maps[place] = {"ClusterConfiguration": json.dumps(document)}
    api = MemoryApi(server_version="1.37.1", config_maps=maps)
    assert asyncio.run(read_entry(api)).gates == {"A": True, "B": False}
