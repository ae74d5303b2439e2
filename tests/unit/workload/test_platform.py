"""Which pods are for Windows is decided once, by the strongest sign, with the evidence."""

import pytest

from transom.model.version import Version
from transom.workload.context import LintContext, OperatingSystem
from transom.workload.platform import decide
from transom.workload.pods import ObjectView, PodView

WINDOWS, LINUX = OperatingSystem.WINDOWS, OperatingSystem.LINUX
IIS = "mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022"


def affinity(operator, value):
    expression = {"key": "kubernetes.io/os", "operator": operator, "values": [value]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def decided(spec, **context):
    value = {"kind": "Pod", "spec": spec}
    pod = PodView(ObjectView(value, (), "Pod", "", ""), value, ())
    decide(pod, LintContext(kubernetes=Version(1, 37), **context))
    return pod


SIGNS = {
    "os.name": ({"os": {"name": "windows"}}, WINDOWS, "os.name is windows"),
    "os.name wins over the selector": (
        {"os": {"name": "linux"}, "nodeSelector": {"kubernetes.io/os": "windows"}},
        LINUX,
        "os.name is linux",
    ),
    "the selector": (
        {"nodeSelector": {"kubernetes.io/os": "windows"}},
        WINDOWS,
        "nodeSelector kubernetes.io/os=windows",
    ),
    "the old selector": (
        {"nodeSelector": {"beta.kubernetes.io/os": "windows"}},
        WINDOWS,
        "nodeSelector beta.kubernetes.io/os=windows",
    ),
    "a pinned build": (
        {"nodeSelector": {"node.kubernetes.io/windows-build": "10.0.20348"}},
        WINDOWS,
        "nodeSelector node.kubernetes.io/windows-build=10.0.20348",
    ),
    "affinity": ({"affinity": affinity("In", "windows")}, WINDOWS, "node affinity for windows"),
    "affinity away from Linux": (
        {"affinity": affinity("NotIn", "linux")},
        WINDOWS,
        "node affinity for windows",
    ),
    "HostProcess": (
        {
            "containers": [{"name": "a"}],
            "securityContext": {"windowsOptions": {"hostProcess": True}},
        },
        WINDOWS,
        "HostProcess containers",
    ),
    "an image": ({"containers": [{"image": IIS}]}, WINDOWS, f"image {IIS}"),
    "an image of Linux": (
        {"containers": [{"image": "redis:7-alpine"}]},
        LINUX,
        "image redis:7-alpine",
    ),
    "os.name of another case": ({"os": {"name": "Windows"}}, WINDOWS, "os.name is Windows"),
    "a label of AKS": (
        {"nodeSelector": {"kubernetes.azure.com/os-sku": "Windows2025"}},
        WINDOWS,
        "nodeSelector kubernetes.azure.com/os-sku=Windows2025",
    ),
    "a label of GKE": (
        {"nodeSelector": {"cloud.google.com/gke-os-distribution": "windows_ltsc"}},
        WINDOWS,
        "nodeSelector cloud.google.com/gke-os-distribution=windows_ltsc",
    ),
    "a repository that is named for Windows": (
        {"containers": [{"image": "docker.io/calico/cni-windows:v3.31.0"}]},
        WINDOWS,
        "image docker.io/calico/cni-windows:v3.31.0",
    ),
    "a tag that is named for Windows": (
        {"containers": [{"image": "fluent/fluent-bit:win-4.0"}]},
        WINDOWS,
        "image fluent/fluent-bit:win-4.0",
    ),
    "an official image in a mirror of a company": (
        {"containers": [{"image": "harbor.corp.example/hub/library/rabbitmq:3-management"}]},
        LINUX,
        "image harbor.corp.example/hub/library/rabbitmq:3-management",
    ),
    "an image of a vendor": (
        {"containers": [{"image": "quay.io/jetstack/cert-manager-controller:v1.15.0"}]},
        LINUX,
        "image quay.io/jetstack/cert-manager-controller:v1.15.0",
    ),
    "an official image from a mirror": (
        {"containers": [{"image": "public.ecr.aws/docker/library/memcached:1.6"}]},
        LINUX,
        "image public.ecr.aws/docker/library/memcached:1.6",
    ),
    "the name of a RuntimeClass": (
        {"runtimeClassName": "windows-2022"},
        WINDOWS,
        "RuntimeClass windows-2022, by its name",
    ),
}


@pytest.mark.parametrize(("spec", "system", "evidence"), SIGNS.values(), ids=SIGNS)
def test_signs(spec, system, evidence):
    pod = decided(spec)
    assert pod.os is system
    assert pod.evidence[0] == evidence


def test_a_pod_that_says_nothing_is_for_nothing_in_particular():
    pod = decided({"containers": [{"image": "registry.example.com/shop/web:1"}]})
    assert pod.os is None
    assert pod.evidence == ()


def test_an_assumption_counts_only_where_nothing_is_said():
    assert decided({"containers": []}, assume=WINDOWS).os is WINDOWS
    assert decided({"os": {"name": "linux"}}, assume=WINDOWS).os is LINUX


def test_evidence_holds_every_agreeing_sign():
    pod = decided({"os": {"name": "windows"}, "containers": [{"image": IIS}]})
    assert pod.evidence == ("os.name is windows", f"image {IIS}")


def test_values_of_any_shape_are_survived():
    strange: list[dict[str, object]] = [
        {"os": "windows"},
        {"nodeSelector": []},
        {"containers": {}},
        {"affinity": 3},
    ]
    for spec in strange:
        assert decided(spec).os is None
