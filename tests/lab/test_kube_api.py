"""The door to the Kubernetes API on a real API server: the suite that its twin keeps too."""

import asyncio

import pytest
from tests.contract.kube import keeps_its_promises

from transom.errors import PermanentError, TemporaryError
from transom.kube.client import open_cluster

_NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: somebody}\n"


def test_the_real_server_keeps_the_promises(cluster):
    cluster.kubectl("apply", "-f", "-", stdin=_NODE)

    async def walk():
        api = open_cluster(cluster.lab.kubeconfig)
        try:
            await keeps_its_promises(api, version=cluster.lab.record.kubernetes, node="somebody")
        finally:
            await api.close()

    asyncio.run(walk())


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
