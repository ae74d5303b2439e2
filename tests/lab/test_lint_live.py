"""`transom lint --cluster` on a real API server: its version, its objects, its pages."""

import asyncio
import json

import pytest

from transom.cli.main import main
from transom.kube import door
from transom.kube.client import open_cluster

NAMESPACE = "lint-live"
OBJECTS = """\
apiVersion: v1
kind: Namespace
metadata: {name: lint-live}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: lint-live}
spec: {type: NodePort, selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: lint-live}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {kubernetes.io/os: windows, lint-live: nowhere}
      containers:
      - name: web
        image: mcr.microsoft.com/windows/nanoserver:ltsc2022
        securityContext: {privileged: false}
"""


@pytest.fixture(scope="module")
def live(cluster):
    cluster.kubectl("apply", "-f", "-", stdin=OBJECTS)
    yield cluster
    cluster.kubectl("delete", "namespace", NAMESPACE, "--wait=false")


def test_a_list_of_several_pages_is_whole(live, monkeypatch):
    monkeypatch.setattr(door, "PAGE", 2)

    async def names():
        api = open_cluster(live.lab.kubeconfig)
        try:
            (kind,) = await api.door.resources(["ClusterRole"])
            return [item["metadata"]["name"] async for item in api.door.objects(kind)]
        finally:
            await api.close()

    found = asyncio.run(names())
    whole = live.get("clusterroles")["items"]
    assert sorted(found) == sorted(item["metadata"]["name"] for item in whole)


def test_what_runs_there_is_linted(live, capsys):
    kubeconfig = str(live.lab.kubeconfig)
    code = main(["lint", "--cluster", "-n", NAMESPACE, "--kubeconfig", kubeconfig, "-o", "json"])
    found = json.loads(capsys.readouterr().out)
    # Without os.name no error of the API server, and what defaults the server wrote is no offence.
    by_rule = {finding["rule"]: finding for finding in found["findings"]}
    assert code == 0
    assert found["unreadable"] == []
    assert by_rule.keys() - {"WIN073"} == {"WIN025", "WIN042", "WIN101", "WIN167"}
    assert by_rule["WIN025"]["file"] == f"cluster/{NAMESPACE}/Deployment/web"
    assert by_rule["WIN167"]["evidence"] == ["leads to Deployment web"]
    # The ReplicaSet and the pods it made are the Deployment's business.
    assert {finding["kind"] for finding in found["findings"]} == {"Deployment", "Service"}
