"""Many nodes for scale tests: the real API server and node controller take them for Ready ones."""

import json

import pytest

from transom_lab import lightkubelet

_MANY = 40


@pytest.fixture
def nodes(cluster):
    """Light nodes in the session's lab; gone afterwards."""
    lightkubelet.start(cluster.lab, _MANY)
    yield lambda: _ready(cluster)
    cluster.lab.ground.stop("lightkubelet")
    cluster.kubectl("delete", "nodes", "-l", lightkubelet.MARK, "--wait=false")


def _ready(cluster):
    found = json.loads(
        cluster.kubectl(
            "get", "nodes", "-l", f"{lightkubelet.MARK},kubernetes.io/os=windows", "-o=json"
        )
    )
    return sorted(
        node["metadata"]["name"]
        for node in found["items"]
        for condition in node["status"].get("conditions", [])
        if (condition["type"], condition["status"]) == ("Ready", "True")
    )


def _renewals(cluster):
    leases = json.loads(
        cluster.kubectl("get", "leases", "-n", lightkubelet.NAMESPACE, "-o", "json")
    )
    return {
        item["metadata"]["name"]: item["spec"]["renewTime"]
        for item in leases["items"]
        if item["metadata"]["name"] in lightkubelet.names(_MANY)
    }


def test_many_nodes_are_ready_and_keep_their_leases(cluster, nodes, eventually):
    """As the API server sees them, each is a Windows node that renews its lease like a kubelet."""
    eventually(lambda: nodes() == lightkubelet.names(_MANY), "all nodes are Ready", timeout_s=60)
    before = _renewals(cluster)
    assert sorted(before) == lightkubelet.names(_MANY)
    eventually(
        lambda: all(_renewals(cluster)[name] > before[name] for name in before),
        "every lease was renewed",
        timeout_s=40,
    )
    node = cluster.get("node", lightkubelet.names(1)[0])
    assert node["status"]["nodeInfo"]["kubeletVersion"] == f"v{cluster.lab.record.kubernetes}"
    taints = [taint["key"] for taint in node["spec"].get("taints", [])]
    assert "node.kubernetes.io/not-ready" not in taints
