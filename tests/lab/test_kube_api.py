"""The door to the Kubernetes API on a real API server: the suite that its twin keeps too."""

import asyncio
import base64
import json
from ipaddress import ip_address

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from tests.contract.kube import keeps_its_promises

from transom.errors import PermanentError, TemporaryError
from transom.kube.client import open_cluster

_OBJECTS = """
apiVersion: v1
kind: Node
metadata: {name: somebody}
---
apiVersion: v1
kind: Pod
metadata: {name: calm-1, labels: {app: calm}}
spec:
  nodeName: somebody
  volumes: [{name: a, emptyDir: {}}]
  containers: [{name: c, image: none}]
---
apiVersion: v1
kind: Pod
metadata: {name: calm-2, labels: {app: calm}}
spec:
  nodeName: somebody
  containers: [{name: c, image: none}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: calm}
spec:
  minAvailable: 1
  selector: {matchLabels: {app: calm}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      nodeSelector: {nowhere: "true"}
      containers: [{name: c, image: none}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: foreign}
data: {mine: "1", shared: theirs}
"""
_RUNNING = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}


def _asked() -> dict[str, object]:
    """A request for a kubelet's serving certificate, as its node would send it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = [
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "system:nodes"),
        x509.NameAttribute(NameOID.COMMON_NAME, "system:node:somebody"),
    ]
    names = [x509.DNSName("somebody"), x509.IPAddress(ip_address("10.0.0.21"))]
    request = (
        x509.CertificateSigningRequestBuilder()
        .subject_name(x509.Name(subject))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, SHA256())
    )
    return {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": "asked"},
        "spec": {
            "request": base64.b64encode(request.public_bytes(Encoding.PEM)).decode(),
            "signerName": "kubernetes.io/kubelet-serving",
            "usages": ["digital signature", "server auth"],
        },
    }


def test_the_real_server_keeps_the_promises(cluster, eventually):
    # Pods are refused until the controller manager has made the namespace's account.
    eventually(
        lambda: bool(cluster.kubectl("get", "serviceaccount", "default", "--ignore-not-found")),
        "the account default is there",
    )
    cluster.kubectl("apply", "-f", "-", stdin=_OBJECTS)
    cluster.kubectl(
        *("apply", "-f", "-", "--as", "system:node:somebody", "--as-group", "system:nodes"),
        *("--as-group", "system:authenticated"),
        stdin=json.dumps(_asked()),
    )
    status = json.dumps({"status": _RUNNING})
    for number in (1, 2):
        cluster.kubectl(
            *("patch", "pod", f"calm-{number}", "--subresource=status", "--type=merge"),
            *("-p", status),
        )
    eventually(
        lambda: cluster.get("pdb", "calm")["status"].get("currentHealthy") == 2,
        "the budget knows its pods",
    )

    async def walk():
        api = open_cluster(cluster.lab.kubeconfig)
        try:
            await keeps_its_promises(api, version=cluster.lab.record.kubernetes, node="somebody")
        finally:
            await api.close()

    try:
        asyncio.run(walk())
    finally:
        kinds = (
            "pod/calm-1",
            "pod/calm-2",
            "pdb/calm",
            "daemonset/agent",
            "csr/asked",
            "configmap/foreign",
        )
        cluster.kubectl("delete", *kinds, "--ignore-not-found", "--force", "--grace-period=0")


def test_who_may_not_is_told_so(cluster, tmp_path):
    text = cluster.lab.kubeconfig.read_text()
    lines = [line for line in text.splitlines() if "client-" not in line]
    lines[-1:] = [lines[-1], "    token: nobody"] if "user" in lines[-1] else [lines[-1]]
    config = tmp_path / "config"
    config.write_text("\n".join(lines) + "\n")

    async def ask():
        api = open_cluster(config)
        try:
            await api.node("somebody")
        finally:
            await api.close()

    with pytest.raises(PermanentError, match="cannot read Node somebody"):
        asyncio.run(ask())


def test_a_server_that_does_not_answer_is_temporary(cluster, tmp_path):
    config = tmp_path / "config"
    text = cluster.lab.kubeconfig.read_text()
    config.write_text(text.replace(f":{cluster.lab.record.api_port}", ":9"))

    async def ask():
        api = open_cluster(config)
        try:
            await api.version()
        finally:
            await api.close()

    with pytest.raises(TemporaryError, match="cannot reach the API server"):
        asyncio.run(ask())


def test_a_plugins_certificate_and_several_kubeconfigs_are_used_as_kubectl_does(cluster, tmp_path):
    """The cluster in one file, the user in another; kubectl and Transom are let in by the same two."""
    document = yaml.safe_load(cluster.lab.kubeconfig.read_text())
    (user,) = [item["user"] for item in document["users"]]
    given = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {
            "clientCertificateData": base64.b64decode(user["client-certificate-data"]).decode(),
            "clientKeyData": base64.b64decode(user["client-key-data"]).decode(),
        },
    }
    (tmp_path / "users").mkdir()
    (tmp_path / "users/credential.json").write_text(json.dumps(given))
    login = tmp_path / "users/login"
    login.write_text('#!/bin/sh\ncat "$(dirname "$0")/credential.json"\n')
    login.chmod(0o700)
    plugin = {
        "apiVersion": given["apiVersion"],
        "command": "./login",
        "interactiveMode": "Never",
    }
    name = document["users"][0]["name"]
    users = {"users": [{"name": name, "user": {"exec": plugin}}]}
    rest = {key: value for key, value in document.items() if key != "users"}
    files = [tmp_path / "none", tmp_path / "rest", tmp_path / "users/config"]
    files[1].write_text(yaml.safe_dump(rest))
    files[2].write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "Config", **users}))

    async def ask():
        api = open_cluster(*files)
        try:
            return await api.version(), await api.nodes()
        finally:
            await api.close()

    version, _ = asyncio.run(ask())
    assert version == cluster.lab.record.kubernetes
    said = cluster.kubectl("auth", "whoami", "-o", "json", kubeconfigs=files)
    assert "system:authenticated" in json.loads(said)["status"]["userInfo"]["groups"]
