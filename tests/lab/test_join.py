"""The life of a node with the upstream kubeadm.exe and kubelet.exe, reached over SSH."""

import asyncio
import contextlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import asyncssh
import pytest

_WEB = """
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {index.html: hello}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      os: {name: windows}
      nodeSelector: {kubernetes.io/os: windows, kubernetes.io/hostname: win1}
      containers:
      - name: iis
        image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
        volumeMounts: [{name: html, mountPath: 'C:\\inetpub\\wwwroot'}]
      volumes: [{name: html, configMap: {name: web}}]
"""


def test_join_pods_reset_and_join_again(cluster, eventually):
    """A host joins, runs pods, leaves without a trace in the cluster, and joins again."""
    joined = cluster.join("win1")
    assert joined.code == 0, joined.text
    assert "This node has joined the cluster" in joined.stdout
    cluster.await_ready("win1")
    info = cluster.get("node", "win1")["status"]["nodeInfo"]
    assert info["operatingSystem"] == "windows"
    assert info["kubeletVersion"] == f"v{cluster.lab.record.kubernetes}"
    assert info["kernelVersion"].startswith("10.0.20348")

    cluster.kubectl("apply", "-f", "-", stdin=_WEB)
    try:
        cluster.kubectl("rollout", "status", "deployment/web", "--timeout=50s")
        pods = cluster.get("pods", "-l", "app=web")["items"]
        assert {"win1"} == {pod["spec"]["nodeName"] for pod in pods}
        assert [pod["status"]["phase"] for pod in pods] == ["Running"] * 2
    finally:
        cluster.kubectl("delete", "deployment,configmap", "web", "--ignore-not-found", "--now")
    eventually(lambda: not cluster.get("pods", "-l", "app=web")["items"], "the pods are gone")

    reset = cluster.reset("win1")
    assert reset.code == 0, reset.text
    assert not (cluster.lab.host("win1").drive_c / "etc/kubernetes/kubelet.conf").exists()

    again = cluster.join("win1")
    assert again.code == 0, again.text
    cluster.await_ready("win1")


def test_two_hosts_join_at_once(cluster):
    """Hosts do not share anything that would make them wait for, or take from, each other."""
    names = ["win1", "win2"]
    for name in names:
        if cluster.kubectl("get", "node", name, "--ignore-not-found"):
            cluster.reset(name)
    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(cluster.join, names))
    assert [answer.code for answer in answers] == [0, 0], [answer.text for answer in answers]
    for name in names:
        cluster.await_ready(name)


def test_a_reboot_ends_sessions_and_the_node_comes_back(cluster, eventually):
    cluster.joined("win2")
    host = cluster.lab.host("win2")
    eventually(lambda: bool(_renewed(cluster, "win2")), "the kubelet has a lease")
    before = _renewed(cluster, "win2")

    ended = []

    async def hold(connection: asyncssh.SSHClientConnection) -> None:
        waiting = asyncio.create_task(connection.run("ping -n 600 127.0.0.1"))
        await asyncio.sleep(0.5)
        await asyncio.to_thread(host.reboot)
        with pytest.raises((asyncssh.Error, OSError)):
            await asyncio.wait_for(_checked(waiting), 20)
        ended.append("session")

    # The connection that the reboot cut may complain as it is closed.
    with contextlib.suppress(asyncssh.Error, OSError):
        cluster.over_ssh("win2", hold)
    assert ended == ["session"]
    host.await_service("containerd", "RUNNING")
    host.await_service("kubelet", "RUNNING")
    eventually(
        lambda: _renewed(cluster, "win2") > before,
        "the kubelet renewed its lease",
        timeout_s=60,
    )
    cluster.await_ready("win2")


def _renewed(cluster: Any, name: str) -> str:
    """When the node's lease was last renewed; nothing before the kubelet made it."""
    path = "jsonpath={.spec.renewTime}"
    said: str = cluster.kubectl(
        "get", "lease", name, "-n", "kube-node-lease", "-o", path, check=False
    )
    return said


async def _checked(waiting: "asyncio.Task[asyncssh.SSHCompletedProcess]") -> None:
    """A session that dies has no exit status; asyncssh reports that as a result, not an error."""
    done = await waiting
    if done.exit_status is None:
        raise asyncssh.ConnectionLost("no exit status")
