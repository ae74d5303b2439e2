"""A field of KubeletConfiguration is judged by the types of its own minor, with what to write instead."""

import pytest

from transom.facts import kubelet_types
from transom.model.version import Version

NEWEST = Version(1, 37, 1)


def check(config, version=NEWEST):
    return kubelet_types.check(config, version)


def test_a_configuration_as_people_write_it_is_good():
    config = {
        "maxPods": 110,
        "podPidsLimit": -1,
        "featureGates": {"WinDSR": True},
        "evictionHard": {"memory.available": "500Mi", "nodefs.available": "10%"},
        "kubeReserved": {"cpu": "250m"},
        "syncFrequency": "1m",
        "runtimeRequestTimeout": "1h30m0.5s",
        "authentication": {"anonymous": {"enabled": False}, "webhook": {"cacheTTL": "0s"}},
        "authorization": {"mode": "Webhook"},
        "shutdownGracePeriodByPodPriority": [{"priority": 0, "shutdownGracePeriodSeconds": 60}],
        "reservedMemory": [{"numaNode": 0, "limits": {"memory": "1Gi", "hugepages-2Mi": 0}}],
        "logging": {"format": "json", "flushFrequency": 5000000000, "verbosity": 2},
        "memoryThrottlingFactor": 0.9,
        "tlsCipherSuites": [],
        "resolvConf": "",
        "eventRecordQPS": None,
    }
    assert check(config) == []


UNKNOWN = {
    "a letter missing": (
        {"maxPod": 1},
        "1.37.1",
        "maxPod",
        "Write maxPods if you mean that field.",
    ),
    "another case": (
        {"clusterdns": []},
        "1.37.1",
        "clusterdns",
        "Write clusterDNS if you mean that field.",
    ),
    "at the wrong level": (
        {"clientCAFile": "C:\\ca.crt"},
        "1.37.1",
        "clientCAFile",
        "Write authentication.x509.clientCAFile if you mean that field.",
    ),
    "below a map": (
        {"authentication": {"anonymus": {"enabled": True}}},
        "1.37.1",
        "authentication.anonymus",
        "Write anonymous if you mean that field.",
    ),
    "in an item of a list": (
        {"shutdownGracePeriodByPodPriority": [{"priorty": 1}]},
        "1.37.1",
        "shutdownGracePeriodByPodPriority[0].priorty",
        "Write priority if you mean that field.",
    ),
    "like nothing": ({"weather": "fine"}, "1.37.1", "weather", "Remove it."),
    "of a later minor": (
        {"containerLogMaxWorkers": 2},
        "1.29.15",
        "containerLogMaxWorkers",
        "Remove it, or use Kubernetes 1.30 or newer.",
    ),
    "of an earlier minor": (
        {"logging": {"sanitization": True}},
        "1.24.17",
        "logging.sanitization",
        "Remove it.",
    ),
    "the kind": ({"kind": "KubeletConfiguration"}, "1.37.1", "kind", "Remove it."),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_a_field_that_a_minor_does_not_have_is_named(case):
    config, version, path, fix = UNKNOWN[case]
    (wrong,) = check(config, Version.parse(version))
    assert (wrong.id, wrong.path, wrong.fix) == ("kubelet-config-field", path, fix)


def test_a_field_says_when_it_begins_and_ended():
    (later,) = check({"containerLogMaxWorkers": 2}, Version(1, 29))
    (gone,) = check({"logging": {"sanitization": True}}, Version(1, 24))
    assert "begins with Kubernetes 1.30" in later.reason
    assert "ended with Kubernetes 1.24" in gone.reason
    assert check({"containerLogMaxWorkers": 2}, Version(1, 30)) == []
    assert check({"logging": {"sanitization": True}}, Version(1, 23)) == []


WRONG = {
    "number in quotes": ({"maxPods": "110"}, "maxPods", "Write 110, without quotes."),
    "number too large": ({"maxPods": 2**31}, "maxPods", "from -2147483648 to 2147483647"),
    "fraction": ({"maxPods": 1.5}, "maxPods", "whole number"),
    "true for a number": ({"maxPods": True}, "maxPods", "whole number"),
    "yes in quotes": ({"failSwapOn": "no"}, "failSwapOn", "Write false, without quotes."),
    "number for text": ({"cgroupRoot": 7}, "cgroupRoot", 'Write "7", in quotes.'),
    "number for a duration": ({"syncFrequency": 60}, "syncFrequency", "Write 60s"),
    "days": ({"syncFrequency": "1d"}, "syncFrequency", "such as 30s, 10m or 1h30m"),
    "text for a list": ({"tlsCipherSuites": "A"}, "tlsCipherSuites", "Write [A]."),
    "list for a map": ({"evictionHard": ["a<1"]}, "evictionHard", "a map whose values are texts"),
    "number in a map of text": (
        {"evictionHard": {"memory.available": 500}},
        'evictionHard["memory.available"]',
        'Write "500", in quotes.',
    ),
    "text for a gate": (
        {"featureGates": {"WinDSR": "true"}},
        'featureGates["WinDSR"]',
        "Write true, without quotes.",
    ),
    "list for an object": ({"authorization": ["Webhook"]}, "authorization", "Write a map."),
    "unknown value": (
        {"authorization": {"mode": "webhook"}},
        "authorization.mode",
        "Use one of AlwaysAllow, Webhook.",
    ),
    "in an item of a list": (
        {"reservedMemory": [{"numaNode": "0", "limits": {"memory": "1Gi"}}]},
        "reservedMemory[0].numaNode",
        "Write 0, without quotes.",
    ),
    "no quantity": (
        {"reservedMemory": [{"numaNode": 0, "limits": {"memory": "1 GB"}}]},
        'reservedMemory[0].limits["memory"]',
        "a quantity such as 500Mi",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_value_of_another_type_says_what_to_write(case):
    config, path, fix = WRONG[case]
    (wrong,) = check(config)
    assert (wrong.id, wrong.path) == ("kubelet-config-type", path)
    assert fix in wrong.fix


def test_every_wrong_field_is_found_at_once():
    found = [wrong.path for wrong in check({"maxPod": 1, "maxPods": "1", "failSwapOn": 0})]
    assert found == ["maxPod", "maxPods", "failSwapOn"]


def test_a_header_that_may_be_a_credential_is_not_shown():
    (wrong,) = check({"staticPodURLHeader": {"Authorization": "Bearer s3cret"}})
    assert "s3cret" not in str(wrong)


@pytest.mark.parametrize(("minor", "used"), [(14, 15), (15, 15), (37, 37), (99, 37)])
def test_a_minor_that_is_not_there_is_judged_by_the_nearest_and_says_so(minor, used):
    (wrong,) = check({"nothing": 1}, Version(1, minor))
    says = f"judged by 1.{used}" in wrong.reason
    assert says == (minor != used)
