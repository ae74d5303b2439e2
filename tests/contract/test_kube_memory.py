"""The twin in memory answers as a real API server does: the same suite runs on one in the lab."""

import asyncio

from tests.contract.kube import APPROVERS, keeps_its_promises

from transom.kube.api import Node
from transom.kube.memory import MemoryApi


def test_the_twin_keeps_the_promises_of_the_real_one():
    api = MemoryApi(
        server_version="1.37.1",
        config_maps={("kube-public", "cluster-info"): {"kubeconfig": ""}},
        nodes={"somebody": Node(name="somebody", ready=False)},
        clock=1,
        bound_roles=(f"{APPROVERS}nodeclient", f"{APPROVERS}selfnodeclient", "view"),
    )
    asyncio.run(keeps_its_promises(api, version="1.37.1", node="somebody"))
