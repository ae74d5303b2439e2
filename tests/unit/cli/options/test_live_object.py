"""`transom explain pod/NAME` and `node/NAME` read what the cluster says; here its twin in memory."""

import asyncio
import json

import pytest

from transom.cli.main import main
from transom.cli.options import live_object
from transom.testing.cluster import MemoryCluster


@pytest.fixture
def cluster(monkeypatch):
    def hold(*objects, forbidden=()):
        lister = MemoryCluster(objects, version="1.37.1", forbidden=frozenset(forbidden))
        monkeypatch.setattr(
            live_object, "with_cluster", lambda _args, ask: asyncio.run(ask(lister))
        )

    return hold


def pod(message="", name="web-0"):
    waiting = {"reason": "RunContainerError", "message": message} if message else None
    statuses = [{"name": "web", "state": {"waiting": waiting} if waiting else {}}]
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "shop"},
        "status": {"containerStatuses": statuses},
    }  # fmt: skip


def event(message, about="Pod", name="web-0", namespace="shop"):
    return {
        "apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "Failed",
        "metadata": {"name": "e1", "namespace": namespace}, "message": message,
        "involvedObject": {"kind": about, "name": name},
    }  # fmt: skip


PAGE_FILE = (
    "hcs::CreateComputeSystem web: The paging file is too small for this operation to complete."
)


def test_a_pod_is_explained_by_its_status_and_events(cluster, capsys):
    cluster(pod("hcs: something else"), event(PAGE_FILE), pod(name="api-0"))
    assert main(["explain", "pod/web-0", "-n", "shop"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"sure: Failed: {PAGE_FILE}\nfailure-page-file")


def test_a_node_is_explained_by_its_conditions(cluster, capsys):
    message = (
        "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
        "message:Network plugin returns error: cni plugin not initialized"
    )
    conditions = [
        {"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": message}
    ]
    cluster(
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "win-01"},
         "status": {"conditions": conditions}},
    )  # fmt: skip
    assert main(["explain", "node/win-01", "-o", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["query"] == "node/win-01"
    assert found["explanations"][0]["id"] == "failure-cni-not-ready"


def test_what_is_not_known_is_shown_and_named_as_that(cluster, capsys):
    cluster(pod("kubelet.sock and device-plugins went to the moon"))
    assert main(["explain", "pod/web-0", "-n", "shop"]) == 1
    out = capsys.readouterr().out
    assert "pod/web-0 reports:\n" in out
    assert "went to the moon" in out
    assert "not known" in out


def test_a_pod_without_complaints_is_told_so(cluster, capsys):
    cluster(pod())
    assert main(["explain", "po/web-0", "-n", "shop"]) == 0
    assert capsys.readouterr().out == "po/web-0: its status and events report nothing wrong\n"


def test_a_pod_that_is_not_there_is_named_with_its_namespace(cluster, capsys):
    cluster(pod())
    assert main(["explain", "pod/web-9"]) == 2
    err = capsys.readouterr().err
    assert "there is no pod web-9 in the namespace default" in err
    assert "-n names the namespace" in err


def test_without_the_right_to_events_the_status_is_explained(cluster, capsys):
    cluster(pod(PAGE_FILE), forbidden=["Event"])
    assert main(["explain", "pod/web-0", "-n", "shop"]) == 0
    said = capsys.readouterr()
    assert "failure-page-file" in said.out
    assert "note: events are not read" in said.err
