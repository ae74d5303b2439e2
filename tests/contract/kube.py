"""What every door to the Kubernetes API promises; run on the twin here and on a real server in the lab."""

from datetime import UTC, datetime

import pytest

from transom.errors import PermanentError
from transom.fleet.marks import FLEET, none_of, of_fleet
from transom.kube.api import Api
from transom.kube.bootstrap_token import NAMESPACE, new_token, token_secret
from transom.model.sight import CertificateRequestSight, RequestState

APPROVERS = "system:certificates.k8s.io:certificatesigningrequests:"
FAR = datetime(2099, 1, 1, tzinfo=UTC)


async def keeps_its_promises(api: Api, *, version: str, node: str) -> None:
    """Walk through every call; `node` is the name of a Node that exists and takes pods.

    On it are the pods calm-1 and calm-2 in default, of which the budget calm keeps one; the request
    asked waits for approval; the DaemonSet agent is in default.
    """
    assert await api.version() == version
    assert await api.config_map("kube-system", "no-such-map") is None
    info = await api.config_map("kube-public", "cluster-info")
    assert info is not None
    assert "kubeconfig" in info

    token = new_token()
    secret = token_secret(token, expires=FAR, description="a contract")
    await api.create_secret(secret)
    with pytest.raises(PermanentError, match="already exists"):
        await api.create_secret(secret)
    assert await api.secret(NAMESPACE, "no-such-secret") is None
    kept = await api.secret(NAMESPACE, token.secret_name)
    assert kept == {key: text.encode() for key, text in secret.data.items()}
    assert await api.delete_secret(NAMESPACE, token.secret_name) is True
    assert await api.delete_secret(NAMESPACE, token.secret_name) is False

    await _is_diagnosed(api, node)
    await _drains(api, node)
    await _approves(api)
    assert "agent" in [item["metadata"]["name"] for item in await api.daemon_sets()]

    assert node in {item.name for item in await api.nodes()}
    await api.label_node(node, {"node-role.kubernetes.io/web": ""})
    await api.label_node(node, {"tier": "web"})
    labelled = await api.node(node)
    assert labelled is not None
    assert {"node-role.kubernetes.io/web": "", "tier": "web"}.items() <= labelled.labels.items()
    await api.label_node(node, {"tier": None})
    unlabelled = await api.node(node)
    assert unlabelled is not None
    assert "tier" not in unlabelled.labels
    with pytest.raises(PermanentError):
        await api.label_node("no-such-node", {"tier": "web"})

    await _knows_a_fleets_nodes(api, node)
    assert await api.node("no-such-node") is None
    assert await api.delete_node("no-such-node") is False
    for unschedulable in (True, False):
        await api.set_unschedulable(node, unschedulable=unschedulable)
        found = await api.node(node)
        assert found is not None
        assert found.unschedulable is unschedulable
    with pytest.raises(PermanentError):
        await api.set_unschedulable("no-such-node", unschedulable=True)
    assert await api.delete_node(node) is True
    assert await api.node(node) is None


async def _knows_a_fleets_nodes(api: Api, node: str) -> None:
    listed = {item.name: item for item in await api.nodes()}
    assert of_fleet(listed[node], "shop") == {FLEET: "shop"}
    await api.label_node(node, of_fleet(listed[node], "shop"))
    (marked,) = [item for item in await api.nodes() if item.labels.get(FLEET) == "shop"]
    assert (marked.name, of_fleet(marked, "shop")) == (node, {})
    await api.label_node(node, none_of(marked.labels))
    assert not any(FLEET in item.labels for item in await api.nodes())


async def _is_diagnosed(api: Api, node: str) -> None:
    """What a diagnosis asks."""
    assert await api.time() > 0
    assert await api.node_sight("no-such-node") is None
    sight = await api.node_sight(node)
    assert sight is not None
    assert sight.name == node
    assert isinstance(await api.request_sights(), tuple)
    assert await api.bound_to(APPROVERS) == (f"{APPROVERS}nodeclient", f"{APPROVERS}selfnodeclient")
    assert await api.bound_to("no-such-role") == ()
    assert ("10.96.0.1",) in {item.addresses for item in await api.service_sights()}


async def _drains(api: Api, node: str) -> None:
    pods = await api.pods_on(node)
    assert [(pod.namespace, pod.name) for pod in pods] == [
        ("default", "calm-1"),
        ("default", "calm-2"),
    ]
    assert [(pod.node, pod.labels, pod.has_empty_dir) for pod in pods] == [
        (node, {"app": "calm"}, True),
        (node, {"app": "calm"}, False),
    ]
    assert await api.pods_on("no-such-node") == ()
    assert await api.evict(pods[0], grace_period_s=0) == ""
    assert await api.evict(pods[0], grace_period_s=0) == ""
    blocked = await api.evict(pods[1], grace_period_s=0)
    assert "budget calm needs 1 healthy pods and has 1" in blocked
    assert [pod.name for pod in await api.pods_on(node)] == ["calm-2"]


async def _approves(api: Api) -> None:
    (asked,) = [item for item in await api.request_sights() if item.name == "asked"]
    assert asked.state is RequestState.PENDING
    assert asked.signer == "kubernetes.io/kubelet-serving"
    assert asked.subject == "system:node:somebody"
    assert asked.names == ("somebody", "10.0.0.21")
    assert asked.usages == ("digital signature", "server auth")
    assert asked.unreadable == ""
    assert await api.approve("asked", reason="a contract", judge=lambda _: "not now") == "not now"
    (still,) = [item for item in await api.request_sights() if item.name == "asked"]
    assert still.state is RequestState.PENDING
    judged: list[CertificateRequestSight] = []

    def judge(request: CertificateRequestSight) -> str:
        judged.append(request)
        return ""

    assert await api.approve("asked", reason="a contract", judge=judge) == ""
    assert judged == [asked]
    (asked,) = [item for item in await api.request_sights() if item.name == "asked"]
    assert asked.state is RequestState.APPROVED
    with pytest.raises(PermanentError):
        await api.approve("no-such-request", reason="a contract", judge=lambda _: "")
