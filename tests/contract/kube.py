"""What every door to the Kubernetes API promises; run on the twin here and on a real server in the lab."""

from datetime import UTC, datetime

import pytest

from transom.errors import PermanentError
from transom.kube.api import Api
from transom.kube.bootstrap_token import NAMESPACE, new_token, token_secret

APPROVERS = "system:certificates.k8s.io:certificatesigningrequests:"
FAR = datetime(2099, 1, 1, tzinfo=UTC)


async def keeps_its_promises(api: Api, *, version: str, node: str) -> None:
    """Walk through every call; `node` is the name of a Node that exists and takes pods."""
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

    assert await api.time() > 0
    assert await api.node_sight("no-such-node") is None
    sight = await api.node_sight(node)
    assert sight is not None
    assert sight.name == node
    assert isinstance(await api.request_sights(), tuple)
    assert await api.bound_to(APPROVERS) == (f"{APPROVERS}nodeclient", f"{APPROVERS}selfnodeclient")
    assert await api.bound_to("no-such-role") == ()

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
