"""Every check passes on a healthy node, fails where its fault is, and is not run without its precondition."""

import asyncio
import json
import re
from typing import Any

import pytest
from tests import kubernetes_schemas
from tests.support.windows_cluster import Clock, WindowsCluster, node

from transom.kube.api import Api
from transom.site.verification import Order, verify
from transom.verify.check import CheckOutcome, Suite
from transom.verify.checks import CHECKS, chosen
from transom.verify.running import needs
from transom.verify.running.case import Case, Isolation, Wish
from transom.verify.running.look import look

WISH = Wish(gmsa="app")


def checked(name, *faults, cluster=None, wish=WISH, disruptive=True):
    cluster = cluster or WindowsCluster(*faults)
    order = Order(
        checks=chosen(names=(name,)), nodes=("win1",), is_disruptive=disruptive, wish=wish
    )
    found = asyncio.run(verify(Api(cluster), order, clock=Clock()))
    (result,) = found.results
    return result


@pytest.mark.parametrize("check", [check.name for check in CHECKS])
def test_a_check_passes_on_a_healthy_node_and_leaves_nothing(check):
    cluster = WindowsCluster()
    before = set(cluster._held)
    result = checked(check, cluster=cluster)
    assert (result.outcome, result.message, result.left) == (CheckOutcome.PASSED, "", "")
    assert set(cluster._held) == before


REFUSED = "cannot reach .* by {}: dial {}: i/o timeout"
FAULTS = {
    "node-ready": {},
    "node-reserves": {"no-reserves": "reserves no memory for Windows"},
    "enforce-node-allocatable": {
        "greedy-runs": "runs a pod that asks for more memory",
        "odd-refusal": "refused for another reason: Other",
    },
    "node-stats": {
        "no-network-figures": r"lacks network\.interfaces",
        "no-memory-figures": r"lacks memory\.workingSetBytes, memory\.availableBytes",
    },
    "pod-stats": {
        "no-pods-counted": "does not have the pod",
        "no-pod-memory": "summary of the pod lacks memory",
    },
    "metrics": {
        "no-metrics": "lacks node_cpu_usage_seconds_total",
        "no-node-metrics": "metrics-server cannot read it",
    },
    "image-pull": {"no-image": "cannot pull the image: ErrImagePull not found"},
    "image-match": {"odd-image": "chose the image of build 17763 for a node of build 20348"},
    "node-to-pod-http": {"no-way-to-pods": "curl.exe ended with 7"},
    "node-to-pod-udp": {"no-udp": "powershell.exe ended with 1"},
    "within-pod-http": {"no-http": REFUSED.format("http", "http")},
    "within-pod-udp": {"no-udp": REFUSED.format("udp", "udp")},
    "pod-to-pod-http": {
        "no-http": REFUSED.format("http", "http"),
        "other-answers": "'someone-else' answered instead of server",
    },
    "pod-to-pod-udp": {"no-udp": REFUSED.format("udp", "udp")},
    "across-nodes": {"no-http": REFUSED.format("http", "http"), "one-way": "pod away cannot reach"},
    "across-systems": {
        "no-http": REFUSED.format("http", "http"),
        "no-way-to-pods": "curl ended with 7 in pod linux",
    },
    "cluster-dns": {"no-dns": r"without 10\.96\.0\.1"},
    "dns-through-cni": {"node-dns": r"lacks 192\.0\.2\.53 and verify\.transom\.example"},
    "service-cluster-ip": {
        "no-http": REFUSED.format("http", "http"),
        "no-udp": REFUSED.format("udp", "udp"),
    },
    "service-node-port": {"no-http": REFUSED.format("http", "http")},
    "service-load-balancer": {"no-http": REFUSED.format("http", "http")},
    "egress": {"no-egress": "curl.exe ended with 6 .*Could not resolve host"},
    "empty-dir": {"no-shared-files": "cannot find the file"},
    "secret": {"empty-volumes": "cannot find the file", "no-variables": "variable of the Secret"},
    "config-map": {"empty-volumes": "cannot find", "no-variables": "variable of the ConfigMap"},
    "mounted-update": {"old-files": "the file after the change is 'before'"},
    "host-path": {"empty-host-path": "does not see the node's"},
    "exec": {"no-exit-code": "ended with 3, and exec says 0", "no-cmd": "no program can be run"},
    "logs": {"no-log": "lacks what it wrote"},
    "port-forward": {"no-tunnel": "connection refused"},
    "probes": {
        "not-healthy": "whose readiness probe succeeds is not Ready",
        "ready-anyway": "Ready although its readiness probe fails",
        "never-restarted": "liveness probe fails is not restarted",
    },
    "memory-limit": {
        "no-limit": "still runs, with 300 MiB",
        "ends-well": "never reached its limit",
    },
    "user-name": {"administrator": "that asks for ContainerUser is 'ContainerAdministrator'"},
    "user-sid": {"odd-sid": "does not have the SID S-1-5-93-2-2"},
    "host-process": {
        "walled-host-process": "does not see the node's files",
        "odd-address": "not the node's 10.0.0.5",
    },
    "hyperv-isolation": {"odd-machine": "what a program in the pod says is 'other'"},
    "gmsa": {"no-domain": "ERROR_NO_SUCH_DOMAIN"},
    "reboot": {
        "no-reboot": "was asked to reboot and did not",
        "pods-stay-away": "the pod that ran before does not run again",
    },
    "graceful-shutdown": {
        "cut-off": "without ending its pod in order",
        "no-reboot": "did not end its pod",
    },
    "density": {"slow": "the slowest took 1000 s", "no-image": "is not Ready: ErrImagePull"},
    "start-up": {"slow": "took 1000 s to be Ready"},
    "kube-proxy-many-endpoints": {"no-http": REFUSED.format("http", "http")},
}
CASES = [(check, fault, told) for check, faults in FAULTS.items() for fault, told in faults.items()]


def test_every_check_has_a_fault_that_shows_it_can_fail():
    assert FAULTS.keys() == {check.name for check in CHECKS}
    assert [name for name, faults in FAULTS.items() if not faults] == ["node-ready"]


@pytest.mark.parametrize(("check", "fault", "told"), CASES, ids=[f"{c}-{f}" for c, f, _ in CASES])
def test_a_check_fails_where_its_fault_is(check, fault, told):
    cluster = WindowsCluster(fault)
    before = set(cluster._held)
    result = checked(check, cluster=cluster)
    assert result.outcome is CheckOutcome.FAILED, result
    assert re.search(told, result.message), result.message
    assert set(cluster._held) == before


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        ([{"type": "Ready", "status": "False", "message": "CNI is not ready"}], "CNI is not ready"),
        (
            [{"type": "Ready", "status": "True"}, {"type": "DiskPressure", "status": "True"}],
            "reports DiskPressure",
        ),
    ],
)
def test_a_node_that_is_not_ready_or_under_pressure_fails(conditions, told):
    cluster = WindowsCluster(nodes=[node("win1", conditions=conditions)])
    result = checked("node-ready", cluster=cluster)
    assert result.outcome is CheckOutcome.FAILED
    assert told in result.message


ALONE = [node("win1")]
NOT_RUN: dict[str, tuple[dict[str, Any], str]] = {
    "node-reserves": ({"faults": ["no-configz"]}, "does not show its configuration"),
    "across-nodes": ({"nodes": ALONE}, "no other Windows node"),
    "across-systems": ({"nodes": ALONE}, "no Linux node"),
    "service-node-port": ({"nodes": ALONE}, "no other Windows node"),
    "service-load-balancer": ({"faults": ["no-balancer"]}, "gave the Service no address"),
    "image-match": ({"faults": ["pretends"]}, "does not say its build"),
    "pod-to-pod-http": ({"faults": ["pretends"]}, "does not run agnhost"),
    "within-pod-udp": ({"faults": ["no-curl"]}, "curl.exe cannot be run in pod server"),
    "gmsa": ({"wish": Wish()}, "--gmsa names one"),
    "reboot": ({"faults": ["refused-reboot"]}, "the reboot was refused"),
    "graceful-shutdown": ({"faults": ["no-grace"]}, "shutdownGracePeriod is zero"),
    "egress": (
        {"wish": Wish(image_repository="registry.example/tests")},
        "name an address with --egress",
    ),
    "exec": ({"faults": ["wrong-node"]}, "runs on win2, not on win1"),
    "secret": ({"faults": ["no-image"]}, "is not Ready: ErrImagePull not found"),
    "density": (
        {"nodes": [node("win1", allocatable={"memory": "300Mi", "pods": "110"})]},
        "does not hold several pods",
    ),
}


@pytest.mark.parametrize("check", NOT_RUN)
def test_a_check_without_its_precondition_is_not_run(check):
    given, told = NOT_RUN[check]
    cluster = WindowsCluster(*given.get("faults", ()), nodes=given.get("nodes"))
    result = checked(check, cluster=cluster, wish=given.get("wish", WISH))
    assert result.outcome is CheckOutcome.NOT_RUN, result
    assert told in result.message


@pytest.mark.parametrize("check", [check.name for check in CHECKS])
def test_no_check_that_runs_programs_is_green_where_containers_only_pretend(check):
    result = checked(check, "pretends", wish=Wish(gmsa="app", isolation=Isolation.PROCESS))
    judges_programs = {
        *("node-ready", "node-reserves", "enforce-node-allocatable", "node-stats", "pod-stats"),
        *("metrics", "image-pull", "logs", "port-forward", "probes", "memory-limit", "density"),
        *("start-up", "egress", "reboot", "graceful-shutdown"),
    }
    if check not in judges_programs:
        assert result.outcome is not CheckOutcome.PASSED


WITH_PODS = [check for check in CHECKS if needs.pods in check.needs]


@pytest.mark.parametrize("check", WITH_PODS, ids=lambda check: check.name)
def test_pods_are_needed_by_every_check_that_makes_some(check):
    cluster = WindowsCluster(
        nodes=[node("win1", conditions=[{"type": "Ready", "status": "False", "message": "gone"}])]
    )
    result = checked(check.name, cluster=cluster)
    assert result.outcome is not CheckOutcome.PASSED
    assert [name for name in cluster.created if name.kind == "Pod"] == []


def test_isolated_containers_are_not_proven_by_hostprocess_ones():
    results = {
        check.name: checked(check.name, wish=Wish(isolation=Isolation.HOST_PROCESS, gmsa="app"))
        for check in chosen(suites=(Suite.NETWORK,))
    }
    assert {item.outcome for item in results.values()} == {CheckOutcome.NOT_RUN}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_check_says_what_and_why_in_sentences(check):
    assert check.what.endswith(".")
    assert check.why.endswith(".")
    assert re.fullmatch(r"[a-z0-9-]{3,40}", check.name)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_what_a_check_creates_is_what_kubernetes_takes(check):
    setting = asyncio.run(look(Api(WindowsCluster()), WISH))
    own = next(item for item in setting.nodes if item.name == "win1")
    for item in check.objects(Case(setting=setting, node=own, namespace="verify")):
        kubernetes_schemas.validate(json.loads(json.dumps(item)), 37)
