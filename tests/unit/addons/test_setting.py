"""A setting is what all hosts of a fleet share; where they do not, it is refused."""

import pytest

from transom.addons.runtime_class import runtime_classes
from transom.addons.setting import setting_of
from transom.errors import Refused
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

FLEET = r"""
apiVersion: transom.dev/v1alpha1
kind: Fleet
metadata: {name: mixed}
spec:
  cluster: {kubeconfig: ~/.kube/config}
  kubernetes: {version: 1.37.1}
  network:
    podCIDRs: [10.244.0.0/16]
    serviceCIDRs: [10.96.0.0/12]
    clusterDNS: [10.96.0.10]
    flannel: {}
  defaults:
    windows: {release: 2022}
    connection: {ssh: {user: Administrator, credential: {agent: true}}}
  hosts:
  - {name: a, address: 10.0.0.1}
  - name: b
    address: 10.0.0.2
    isolation: hyperv
    taints: [{key: os, value: windows, effect: NoSchedule}, {key: gpu, effect: NoExecute}]
  - {name: c, address: 10.0.0.3, windows: {release: 2025}}
"""


def mixed(text=FLEET):
    (fleet,) = read_fleets(text.encode(), name="fleet.yaml")
    return setting_of(fleet, resolve(fleet))


def test_each_build_has_its_class_and_hyper_v_one_more():
    classes = {item["metadata"]["name"]: item for item in runtime_classes(mixed())}
    assert list(classes) == ["windows-2022", "windows-2022-hyperv", "windows-2025"]
    hyperv = classes["windows-2022-hyperv"]
    assert hyperv["handler"] == "runhcs-wcow-hypervisor"
    assert hyperv["scheduling"]["nodeSelector"]["transom.dev/isolation"] == "hyperv"
    assert "transom.dev/isolation" not in classes["windows-2022"]["scheduling"]["nodeSelector"]
    assert "tolerations" not in classes["windows-2025"]["scheduling"]
    assert classes["windows-2022"]["scheduling"]["tolerations"] == [
        {"key": "os", "operator": "Equal", "value": "windows", "effect": "NoSchedule"},
        {"key": "gpu", "operator": "Exists", "effect": "NoExecute"},
    ]


def test_hosts_with_their_programs_elsewhere_are_refused_by_name():
    elsewhere = FLEET.replace("release: 2025}}", "release: 2025}, directories: {install: 'D:\\k'}}")
    with pytest.raises(Refused) as refused:
        mixed(elsewhere)
    (reason,) = refused.value.refusals
    assert reason.subject == "hosts[c].directories.install"
    assert r"D:\k" in reason.found
