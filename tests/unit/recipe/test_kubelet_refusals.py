"""Settings of the kubelet that its minor does not take, or that are the recipe's own, are refused with what to write."""

import pytest
import yaml

from transom.errors import Refused
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

NETWORK = {"type": "Flannel", "podCIDRs": ["10.244.0.0/16"], "serviceCIDRs": ["10.96.0.0/12"]}


def fleet(kubelet, version="1.37.1"):
    """A fleet of one host, whose kubelet has those settings."""
    spec = {
        "kubernetes": {"version": version},
        "network": {**NETWORK, "clusterDomain": "corp.local"},
        "defaults": {"windows": {"release": "ltsc2022"}, "kubelet": kubelet},
        "hosts": [{"name": "win-01", "address": "10.0.0.21"}],
    }
    head = {"apiVersion": "transom.dev/v1alpha2", "kind": "Fleet", "metadata": {"name": "shop"}}
    (read,) = read_fleets(yaml.safe_dump({**head, "spec": spec}), name="fleet.yaml")
    return read


def refused(kubelet, **more):
    with pytest.raises(Refused) as caught:
        resolve(fleet(kubelet, **more))
    return caught.value.refusals


def flags(**named):
    return {"extraArgs": [{"name": name.replace("_", "-"), "value": named[name]} for name in named]}


def test_every_wrong_field_is_named_at_once_with_its_place_and_what_to_write():
    found = refused({"config": {"maxPod": 1, "maxPods": "110", "syncFrequency": 60}})
    assert {refusal.subject: refusal.fix for refusal in found} == {
        "hosts[win-01].kubelet.config.maxPod": "Write maxPods if you mean that field.",
        "hosts[win-01].kubelet.config.maxPods": "Write 110, without quotes.",
        "hosts[win-01].kubelet.config.syncFrequency": "Write 60s if these are seconds.",
    }
    assert {refusal.source.partition(" ")[0] for refusal in found} == {"k8s.io/kubelet@v0.37.1"}


def test_a_field_is_judged_by_the_minor_of_the_fleet():
    (only,) = refused({"config": {"preloadedImagesVerificationAllowlist": []}}, version="1.30.14")
    assert only.id == "kubelet-config-field"
    assert "a kubelet of 1.30 does not have it" in only.reason
    assert resolve(fleet({"config": {"preloadedImagesVerificationAllowlist": []}}))


def test_feature_gates_that_are_no_map_are_a_refusal_and_no_crash():
    (only,) = refused({"config": {"featureGates": ["WinDSR"]}})
    assert only.fix == "Write a map whose values are true or false."


OWN_FIELDS = {
    "clusterDNS": (["10.96.0.10"], "Write `network.clusterDNS` instead."),
    "clusterDomain": ("a.b", "Write `network.clusterDomain` instead."),
    "registerWithTaints": ([], "Write `taints` instead."),
    "containerRuntimeEndpoint": ("npipe:////./pipe/x", "Write `runtime` instead."),
}


@pytest.mark.parametrize("field", OWN_FIELDS)
def test_a_field_of_the_recipe_is_refused_with_the_key_of_the_fleet(field):
    value, fix = OWN_FIELDS[field]
    (only,) = refused({"config": {field: value}})
    assert (only.id, only.fix) == (f"kubelet-owned-{field}", fix)


def test_other_flags_pass():
    assert resolve(fleet(flags(v="2")))


def test_a_kubelet_that_joins_without_kubeadm_has_the_clusters_domain():
    (recipe,) = resolve(fleet({}))
    assert recipe.kubelet.manual.config["clusterDomain"] == "corp.local"
