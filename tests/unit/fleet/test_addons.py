"""Add-ons meet a cluster: what changes, what is pruned, what is refused, and how long is waited."""

import asyncio
import json

import pytest
from tests.support.fleet_addons import BACKEND, GOOD, daemon_set, flannel
from tests.unit.addons.golden import golden_setting

from transom.addons.catalogue import render
from transom.errors import PermanentError, Refused, TemporaryError
from transom.fleet import addons
from transom.fleet.addon_change import Act
from transom.model.manifest import ObjectName, name_of
from transom.testing.cluster import MemoryCluster

OVERLAY = golden_setting("k137-2022-containerd-flannel-overlay")
L2BRIDGE = golden_setting("k136-2022-containerd-flannel-l2bridge")
PROXY = ObjectName("apps/v1", "DaemonSet", "transom-system", "kube-proxy-windows")


def refused(setting, *held):
    with pytest.raises(Refused) as found:
        asyncio.run(addons.check(MemoryCluster(held), setting))
    return found.value


def test_applying_twice_changes_nothing_the_second_time():
    objects, manifests = MemoryCluster(), render(OVERLAY)
    first = asyncio.run(addons.apply(objects, manifests, OVERLAY.fleet))
    assert {change.act for change in first} == {Act.CREATE}
    written = objects.writes
    assert {
        change.act for change in asyncio.run(addons.diff(objects, manifests, OVERLAY.fleet))
    } == {Act.KEEP}
    second = asyncio.run(addons.apply(objects, manifests, OVERLAY.fleet))
    assert {change.act for change in second} == {Act.KEEP}
    assert objects.writes == written


def test_a_diff_names_the_field_and_stores_nothing():
    objects, manifests = MemoryCluster(), render(OVERLAY)
    asyncio.run(addons.apply(objects, manifests, OVERLAY.fleet))
    written = objects.writes
    changed = [
        {**item, "handler": "another"} if item["kind"] == "RuntimeClass" else item
        for item in manifests
    ]
    (change,) = [
        change
        for change in asyncio.run(addons.diff(objects, changed, OVERLAY.fleet))
        if change.act is not Act.KEEP
    ]
    assert change.act is Act.CHANGE
    assert change.fields == (("handler", "runhcs-wcow-process", "another"),)
    assert objects.writes == written


def test_what_is_no_longer_rendered_goes_and_what_is_not_ours_stays():
    stranger = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {
            "name": "theirs",
            "namespace": "transom-system",
            "labels": {"app.kubernetes.io/managed-by": "transom", "transom.dev/fleet": "another"},
        },
    }
    objects, manifests = MemoryCluster((stranger,)), render(OVERLAY)
    asyncio.run(addons.apply(objects, manifests, OVERLAY.fleet))
    fewer = [item for item in manifests if item["metadata"]["name"] != "kube-flannel-windows"]
    changes = asyncio.run(addons.apply(objects, fewer, OVERLAY.fleet))
    assert [str(change.name) for change in changes if change.act is Act.DELETE] == [
        "DaemonSet transom-system/kube-flannel-windows",
        "ServiceAccount transom-system/kube-flannel-windows",
    ]
    asyncio.run(addons.delete(objects, OVERLAY.fleet))
    assert asyncio.run(objects.get(name_of(stranger))) is not None
    assert asyncio.run(addons.owned(objects, OVERLAY.fleet)) == []


def test_deleting_begins_with_the_pods_and_ends_with_the_namespace():
    objects = MemoryCluster()
    asyncio.run(addons.apply(objects, render(OVERLAY), OVERLAY.fleet))
    kinds = [change.name.kind for change in asyncio.run(addons.delete(objects, OVERLAY.fleet))]
    assert kinds[0] == "DaemonSet"
    assert kinds[-1] == "Namespace"


def test_a_field_that_somebody_else_set_is_not_taken_unless_forced():
    theirs = {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "windows-2022"},
        "handler": "runhcs-wcow-other",
    }
    objects, manifests = MemoryCluster((theirs,)), render(OVERLAY)
    with pytest.raises(PermanentError, match="conflict"):
        asyncio.run(addons.apply(objects, manifests, OVERLAY.fleet))
    asyncio.run(addons.apply(objects, manifests, OVERLAY.fleet, force=True))


@pytest.mark.parametrize("namespace", ["kube-flannel", "kube-system"])
def test_a_flannel_that_suits_windows_is_taken(namespace):
    asyncio.run(addons.check(MemoryCluster((flannel(GOOD, namespace),)), OVERLAY))


@pytest.mark.parametrize(
    ("conf", "keys"),
    [
        (
            {"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan"}},
            ["Backend.VNI", "Backend.Port"],
        ),
        ({**GOOD, "Backend": {**BACKEND, "VNI": 1}}, ["Backend.VNI"]),
        ({**GOOD, "Backend": {**BACKEND, "Port": 8472}}, ["Backend.Port"]),
        (
            {**GOOD, "Backend": {**BACKEND, "DirectRouting": True}},
            ["Backend.DirectRouting"],
        ),
        ({**GOOD, "Backend": {**BACKEND, "MTU": 1400}}, ["Backend.MTU"]),
        ({**GOOD, "Backend": {"Type": "host-gw"}}, ["Backend.Type"]),
        ({**GOOD, "Network": "10.0.0.0/8"}, ["Network"]),
        ("no json", ["net-conf.json"]),
        ({}, ["net-conf.json"]),
    ],
)
def test_a_flannel_that_does_not_is_refused_by_its_key(conf, keys):
    error = refused(OVERLAY, flannel(conf))
    assert [reason.subject.rpartition(", ")[2] for reason in error.refusals] == keys
    assert "rollout restart" in error.hint
    assert "is cut" in error.hint


@pytest.mark.parametrize("setting", [OVERLAY, L2BRIDGE], ids=["overlay", "l2bridge"])
@pytest.mark.parametrize(
    "conf",
    [
        {
            "Network": "10.0.0.0/8",
            "EnableNFTables": False,
            "Backend": {"Type": "vxlan", "MTU": 9000},
        },
        {"Network": "10.0.0.0/8", "Backend": {"Type": "vxlan", "DirectRouting": True}},
        {"Network": "10.0.0.0/8", "Backend": {"Type": "host-gw"}},
        "no json",
    ],
)
def test_the_printed_patch_makes_it_suit(setting, conf):
    """Who follows the hint is let through, and keeps what does not concern us."""
    hint = refused(setting, flannel(conf)).hint
    patch = json.loads(hint.partition(" -p '")[2].partition("'")[0])
    patched = flannel(patch["data"]["net-conf.json"])
    asyncio.run(addons.check(MemoryCluster((patched,)), setting))
    if isinstance(conf, dict) and "EnableNFTables" in conf:
        assert json.loads(patched["data"]["net-conf.json"])["EnableNFTables"] is False


def test_without_flannel_on_linux_there_is_nothing_to_join():
    (reason,) = refused(OVERLAY).refusals
    assert reason.found == "none"
    assert '"VNI": 4096' in reason.fix


AFFINITY = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {
                    "matchExpressions": [
                        {"key": "kubernetes.io/os", "operator": "In", "values": ["windows"]}
                    ]
                }
            ]
        }
    }
}


@pytest.mark.parametrize(
    "rival",
    [
        daemon_set("kube-proxy-windows", nodeSelector={"kubernetes.io/os": "windows"}),
        daemon_set(
            "proxy",
            image="sigwindowstools/kube-proxy:v1",
            nodeSelector={"beta.kubernetes.io/os": "windows"},
        ),
        daemon_set("kube-flannel-ds-windows-amd64", affinity=AFFINITY),
        daemon_set("calico-node-windows", os={"name": "windows"}),
        daemon_set(
            "antrea-agent-windows", securityContext={"windowsOptions": {"hostProcess": True}}
        ),
    ],
    ids=lambda item: item["metadata"]["name"],
)
def test_another_of_the_kind_is_refused_by_its_name(rival):
    (reason,) = refused(OVERLAY, flannel(GOOD), rival).refusals
    assert reason.subject == f"DaemonSet kube-system/{rival['metadata']['name']}"


@pytest.mark.parametrize(
    "neighbour",
    [
        daemon_set("kube-proxy", nodeSelector={"kubernetes.io/os": "linux"}),
        daemon_set("kube-flannel-ds"),
        daemon_set("fluent-bit-windows", nodeSelector={"kubernetes.io/os": "windows"}),
    ],
    ids=lambda item: item["metadata"]["name"],
)
def test_what_does_other_work_or_works_elsewhere_is_no_rival(neighbour):
    asyncio.run(addons.check(MemoryCluster((flannel(GOOD), neighbour)), OVERLAY))


def test_what_transom_made_for_this_fleet_is_no_rival():
    objects = MemoryCluster((flannel(GOOD),))
    asyncio.run(addons.apply(objects, render(OVERLAY), OVERLAY.fleet))
    asyncio.run(addons.check(objects, OVERLAY))


class Clock:
    def __init__(self):
        self.now = 0.0
        self.steps = []

    def monotonic(self):
        return self.now

    async def sleep(self, seconds):
        self.now += seconds
        if self.steps:
            self.steps.pop(0)()


def status(ready):
    return {
        "observedGeneration": 1,
        "desiredNumberScheduled": 2,
        "updatedNumberScheduled": 2,
        "numberAvailable": ready,
    }


def test_the_rollout_is_awaited_until_every_node_runs_it():
    objects, clock = MemoryCluster(), Clock()
    manifests = [item for item in render(OVERLAY) if item["kind"] in ("Namespace", "DaemonSet")]
    asyncio.run(addons.apply(objects, manifests, OVERLAY.fleet))
    names = [name_of(item) for item in manifests if item["kind"] == "DaemonSet"]

    def observe(ready):
        for name in names:
            objects.observe(name, status(ready))

    clock.steps = [lambda: observe(1), lambda: observe(2)]
    asyncio.run(addons.await_rollout(objects, manifests, clock, timeout_s=60))
    assert clock.steps == []


def test_a_rollout_that_does_not_end_is_told_with_what_is_missing():
    objects, clock = MemoryCluster(), Clock()
    manifests = [item for item in render(OVERLAY) if item["kind"] in ("Namespace", "DaemonSet")]
    asyncio.run(addons.apply(objects, manifests, OVERLAY.fleet))
    objects.observe(PROXY, status(1))
    with pytest.raises(TemporaryError, match="kube-proxy-windows runs on 1 of 2 nodes"):
        asyncio.run(addons.await_rollout(objects, manifests, clock, timeout_s=10))
    assert clock.now >= 10
