"""What cannot work is refused before anything is touched, with every reason at once."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from transom.errors import Refused, UsageError
from transom.model.fleet import Cluster, KubernetesSpec
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

BASE = Path(__file__).parents[2] / "data" / "fleets" / "v1alpha1" / "k137-2022-containerd-flannel-overlay.yaml"


def fleet(**changes):
    """The base fleet with dotted keys of its spec replaced; None removes a key."""
    document = yaml.safe_load(BASE.read_text("utf-8"))
    for dotted, value in changes.items():
        target = document["spec"]
        *parents, last = dotted.split("__")
        for name in parents:
            target = target.setdefault(name, {})
        if value is None:
            target.pop(last, None)
        else:
            target[last] = value
    (read,) = read_fleets(yaml.safe_dump(document), name="fleet.yaml")
    return read


def refused(changed, **more):
    with pytest.raises(Refused) as caught:
        resolve(changed, **more)
    return caught.value.refusals


def ids(refusals):
    return sorted({refusal.id for refusal in refusals})


HOST = {"name": "win-01", "address": "10.0.0.21"}

CASES = {
    "a label that the kubelet sets": (
        {"defaults__labels": {"kubernetes.io/os": "linux"}},
        ["reserved-label"],
    ),
    "a label of Transom's own": ({"defaults__labels": {"transom.dev/fleet": "b"}}, ["reserved-label"]),
    "a flag that kubeadm sets": (
        {"defaults__kubelet": {"extraArgs": {"config": "c.yaml", "hostname-override": "a"}}},
        ["owned-flag"],
    ),
    "an override of what is no artifact": (
        {"source": {"overrides": {"kubelte": {"file": "./kubelet.exe"}}}},
        ["unknown-artifact"],
    ),
    "a signature asked of what is no artifact": (
        {"source": {"verify": [{"artifact": "nothing", "authenticode": {"subject": "CN=Corp"}}]}},
        ["unknown-artifact"],
    ),
    "Kubernetes 1.37 on Windows Server 2019": (
        {"defaults__windows": {"release": "2019"}},
        ["windows-support"],
    ),
    "an unknown Windows release": ({"defaults__windows": {"release": "2021"}}, ["windows-support"]),
    "Docker from 1.24": ({"runtime": {"docker": {}}, "privileged": "services"}, ["dockershim"]),
    "wins from 1.24": ({"privileged": "wins"}, ["privileged-wins"]),
    "wins below 1.17": (
        {
            "kubernetes__version": "1.16.15",
            "runtime": {"docker": {}},
            "privileged": "wins",
            "defaults__windows": {"release": "2019"},
            "network__flannel": {"mode": "overlay"},
        },
        ["privileged-wins"],
    ),
    "HostProcess before 1.22": (
        {
            "kubernetes__version": "1.21.14",
            "runtime": {"containerd": {"version": "1.6.36"}},
            "privileged": "hostprocess",
            "defaults__windows": {"release": "2019"},
        },
        ["privileged-hostprocess"],
    ),
    "HostProcess in 1.22 without its gates": (
        {
            "kubernetes__version": "1.22.17",
            "runtime": {"containerd": {"version": "1.6.36"}},
            "privileged": "hostprocess",
            "defaults__windows": {"release": "2019"},
        },
        ["privileged-hostprocess"],
    ),
    "HostProcess with containerd below 1.6": (
        {
            "kubernetes__version": "1.23.17",
            "runtime": {"containerd": {"version": "1.5.18"}},
            "privileged": "hostprocess",
        },
        ["privileged-hostprocess"],
    ),
    "HostProcess with Docker": (
        {
            "kubernetes__version": "1.23.17",
            "runtime": {"docker": {"version": "20.10.24"}},
            "privileged": "hostprocess",
        },
        ["privileged-hostprocess"],
    ),
    "Flannel overlay with another VNI and port": (
        {"network__flannel": {"mode": "overlay", "vni": 5000, "port": 8472}},
        ["mode-flannel-overlay"],
    ),
    "a containerd too old for 1.37": (
        {"runtime": {"containerd": {"version": "1.7.28"}}},
        ["windows-support"],
    ),
    "a kubelet newer than the API server": (
        {"cluster__version": "1.36.4"},
        ["kubelet-skew"],
    ),
    "a kubelet more than three minors behind": (
        {
            "kubernetes__version": "1.33.5",
            "cluster__version": "1.37.1",
            "runtime": {"containerd": {"version": "1.7.28"}},
        },
        ["kubelet-skew"],
    ),
    "a host name over 15 characters": (
        {"hosts": [{**HOST, "name": "windows-node-0001"}]},
        ["limit-computer-name"],
    ),
    "overlapping ranges": (
        {"network__podCIDRs": ["10.96.0.0/16"]},
        ["overlapping-ranges"],
    ),
    "a host inside the pod range": (
        {"hosts": [{**HOST, "address": "10.244.0.7"}]},
        ["overlapping-ranges"],
    ),
    "DNS outside the Service range": (
        {"network__clusterDNS": ["10.0.0.10"]},
        ["dns-outside-services"],
    ),
    "cgroupsPerQOS up to 1.30": (
        {
            "kubernetes__version": "1.30.4",
            "runtime": {"containerd": {"version": "1.7.28"}},
            "defaults__kubelet": {"config": {"cgroupsPerQOS": True}},
        },
        ["kubelet-cgroupsPerQOS"],
    ),
    "dual stack on overlay": (
        {"network__podCIDRs": ["10.244.0.0/16", "fd00::/56"]},
        ["overlay-single-stack"],
    ),
    "dual stack with Flannel on a bridge": (
        {
            "network__podCIDRs": ["10.244.0.0/16", "fd00:1::/64"],
            "network__flannel": {"mode": "l2bridge"},
        },
        ["flannel-single-stack"],
    ),
    "dual stack with win-bridge": (
        {
            "network__podCIDRs": ["10.244.0.0/16", "fd00:1::/64"],
            "network__flannel": None,
            "network__winBridge": {},
        },
        ["win-bridge-single-stack"],
    ),
    "dual stack with wincni": (
        {
            "kubernetes__version": "1.21.14",
            "runtime": {"docker": {}},
            "privileged": "services",
            "defaults__windows": {"release": "2019"},
            "network__podCIDRs": ["10.244.0.0/16", "fd00:1::/64"],
            "network__flannel": None,
            "network__wincni": {"version": "1.0.0"},
        },
        ["wincni-single-stack"],
    ),
    "IPv6 alone": (
        {"network__podCIDRs": ["fd00::/56"], "network__flannel": {"mode": "l2bridge"}},
        ["ipv6-only"],
    ),
    "a gate that is gone": (
        {"defaults__kubelet": {"config": {"featureGates": {"IdentifyPodOS": True}}}},
        ["IdentifyPodOS"],
    ),
    "a gate that is locked": (
        {"defaults__kubelet": {"config": {"featureGates": {"NodeLogQuery": False}}}},
        ["NodeLogQuery"],
    ),
    "a flag that is gone": (
        {"defaults__kubelet": {"extraArgs": {"network-plugin": "cni"}}},
        ["kubelet-flag-network-plugin"],
    ),
    "a source endpoint without an overlay": (
        {
            "network__flannel": None,
            "network__external": {"networkName": "corp", "sourceEndpoint": "vip"},
        },
        ["plugin-external"],
    ),
    "Kubernetes before 1.14": (
        {
            "kubernetes__version": "1.12.0",
            "runtime": {"docker": {"version": "18.09.9"}},
            "privileged": "services",
            "defaults__windows": {"release": "1803"},
        },
        ["limit-covered-minor"],
    ),
    "a pause image without the build": (
        {
            "kubernetes__version": "1.26.0",
            "runtime": {"containerd": {"version": "1.7.28"}},
            "defaults__windows": {"release": "20H2"},
        },
        ["pause-image"],
    ),
    "a plugin whose version nobody knows": (
        {"network__flannel": None, "network__azureCNI": {}},
        ["plugin-azure-cni"],
    ),
    "a Flannel from before Windows": (
        {"network__flannel": {"mode": "overlay", "version": "0.9.0"}},
        ["plugin-flannel"],
    ),
}


@pytest.mark.parametrize(("changes", "reasons"), CASES.values(), ids=CASES.keys())
def test_it_is_refused_for_that_reason(changes, reasons):
    found = ids(refused(fleet(**changes)))
    assert set(reasons) <= set(found)


@pytest.mark.parametrize(("changes", "_reasons"), CASES.values(), ids=CASES.keys())
def test_a_refusal_says_what_why_and_what_to_do_with_a_source(changes, _reasons):
    for refusal in refused(fleet(**changes)):
        assert refusal.subject
        assert refusal.found
        assert refusal.reason
        assert refusal.source
        assert refusal.fix.endswith(".")


@pytest.mark.parametrize("runtime", [None, {"docker": {}}, {"containerd": {}}])
@pytest.mark.parametrize("version", ["1.5.0", "1.9.11", "1.13.12"])
def test_a_version_from_before_windows_nodes_were_stable_is_refused_for_that_alone(
    version, runtime
):
    found = refused(fleet(kubernetes__version=version, runtime=runtime))
    assert {refusal.subject for refusal in found} == {"kubernetes.version"}
    assert "limit-covered-minor" in ids(found)
    assert "dockershim" not in str(found)


def test_a_way_out_of_dual_stack_is_named_that_carries_it():
    for mode in ("overlay", "l2bridge"):
        ranges = ["10.244.0.0/16", "fd00:1::/64"]
        (found,) = refused(fleet(network__podCIDRs=ranges, network__flannel={"mode": mode}))
        assert "external" in found.fix
        assert "l2bridge for" not in found.fix


def test_all_reasons_come_at_once():
    everything = fleet(
        defaults__windows={"release": "2019"},
        network__flannel={"mode": "overlay", "vni": 7, "port": 8472},
        network__clusterDNS=["10.0.0.10"],
        hosts=[
            {**HOST, "name": "windows-node-0001"},
            {**HOST, "name": "windows-node-0002", "address": "10.0.0.22"},
        ],
    )
    assert ids(refused(everything)) == [
        "dns-outside-services",
        "limit-computer-name",
        "mode-flannel-overlay",
        "windows-support",
    ]


def test_two_names_that_netbios_cannot_tell_apart_collide():
    both = fleet(
        hosts=[
            {**HOST, "name": "windows-node-0001", "longName": {"dnsSuffix": "corp.example"}},
            {
                "name": "windows-node-0002",
                "address": "10.0.0.22",
                "longName": {"dnsSuffix": "corp.example"},
            },
        ]
    )
    (refusal,) = refused(both)
    assert refusal.id == "limit-computer-name"
    assert "windows-node-00" in refusal.found


def test_a_long_name_on_request_is_allowed_and_its_suffix_set():
    (recipe,) = resolve(
        fleet(
            hosts=[{**HOST, "name": "windows-node-0001", "longName": {"dnsSuffix": "corp.example"}}]
        )
    )
    assert recipe.dns_suffixes == ("corp.example",)


def test_two_runtimes_on_the_host_need_a_choice():
    undecided = fleet(runtime=None)
    (refusal,) = refused(undecided, detected_runtimes={"win-01": ("containerd", "docker")})
    assert refusal.id == "kubeadm-two-runtimes"
    decided = fleet()
    assert resolve(decided, detected_runtimes={"win-01": ("containerd", "docker")})


def test_the_version_of_the_cluster_must_be_known_to_be_used():
    unknown = replace(fleet(), kubernetes=KubernetesSpec("cluster"))
    with pytest.raises(UsageError, match="does not say"):
        resolve(unknown)
    known = replace(unknown, cluster=Cluster(version="1.37.1"))
    assert resolve(known)[0].target.kubernetes == "1.37.1"


def test_a_host_that_is_not_there_is_a_usage_error():
    with pytest.raises(UsageError, match="no host nobody"):
        resolve(fleet(), hosts=["nobody"])
