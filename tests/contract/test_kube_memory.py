"""The twin in memory answers as a real API server does: the same suite runs on one in the lab."""

import asyncio

from tests.contract.kube import APPROVERS, FOREIGN, keeps_its_promises
from tests.support.cluster import Budget, MemoryApi

from transom.kube.api import Node, Pod
from transom.model.sight import CertificateRequestSight, RequestState, ServiceSight


def _pod(number):
    return Pod(
        namespace="default",
        name=f"calm-{number}",
        node="somebody",
        labels={"app": "calm"},
        has_empty_dir=number == 1,
    )


def test_the_twin_keeps_the_promises_of_the_real_one():
    asked = CertificateRequestSight(
        name="asked",
        signer="kubernetes.io/kubelet-serving",
        username="system:node:somebody",
        subject="system:node:somebody",
        created=1,
        state=RequestState.PENDING,
        names=("somebody", "10.0.0.21"),
        usages=("digital signature", "server auth"),
    )
    api = MemoryApi(
        server_version="1.37.1",
        config_maps={("kube-public", "cluster-info"): {"kubeconfig": ""}},
        held_nodes={"somebody": Node(name="somebody", ready=False)},
        clock=1,
        bound_roles=(f"{APPROVERS}nodeclient", f"{APPROVERS}selfnodeclient", "view"),
        seen_services=(
            ServiceSight(namespace="default", name="kubernetes", addresses=("10.96.0.1",)),
        ),
        pods={("default", f"calm-{number}"): _pod(number) for number in (1, 2)},
        budgets={("default", "calm"): Budget(labels={"app": "calm"}, min_available=1)},
        seen_requests=[asked],
        held_daemon_sets=({"metadata": {"name": "agent"}},),
    )
    api.door.put(FOREIGN)
    api.door.compact()
    asyncio.run(keeps_its_promises(api, version="1.37.1", node="somebody", forgets=True))
