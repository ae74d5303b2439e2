"""What every door to the Kubernetes API promises; run on the twin here and on a real server in the lab."""

import asyncio
from contextlib import aclosing
from datetime import UTC, datetime

import pytest

from transom.errors import PermanentError, TransomError
from transom.fleet.work.labels import FLEET, missing_fleet_label, taken_off
from transom.kube.api import Api
from transom.kube.bootstrap_token import NAMESPACE, new_token, token_secret
from transom.kube.door import (
    CONFIG_MAP,
    FIELD_MANAGER,
    NODE,
    Change,
    Deletion,
    Door,
    Patch,
    Resource,
    Selection,
)
from transom.kube.errors import (
    AlreadyExists,
    Conflict,
    Expired,
    FieldConflict,
    Invalid,
    NotFound,
)
from transom.model.manifest import ObjectName, name_of
from transom.model.sight import CertificateRequestSight, RequestState

APPROVERS = "system:certificates.k8s.io:certificatesigningrequests:"
FAR = datetime(2099, 1, 1, tzinfo=UTC)


SPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "contract"}}
INSIDE = Selection(namespace="contract")
# Another manager made this one before.
FOREIGN = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "foreign", "namespace": "default"},
    "data": {"mine": "1", "shared": "theirs"},
}


def config_map(name: str = "words", **data: str):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "contract", "labels": {"of": "contract"}},
        "data": data,
    }


async def keeps_its_promises(api: Api, *, version: str, node: str, forgets: bool = False) -> None:
    """Walk through every call; `node` is the name of a Node that exists and takes pods.

    On it are the pods calm-1 and calm-2 in default, of which the budget calm keeps one; the request
    asked waits for approval; the DaemonSet agent and the ConfigMap foreign are in default. A server that
    `forgets` no longer knows its first version, as after etcd's compaction.
    """
    await _finds_kinds(api.door)
    await _applies(api.door)
    await _writes(api.door)
    await _lists_by_pages(api.door)
    await _watches(api.door, forgets=forgets)
    await _keeps_status_apart(api.door, node)
    await api.door.delete(name_of(SPACE))
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
    await _says_who_cordoned(api, node)
    with pytest.raises(PermanentError):
        await api.set_unschedulable("no-such-node", unschedulable=True)
    assert await api.delete_node(node) is True
    assert await api.node(node) is None


async def _says_who_cordoned(api: Api, node: str) -> None:
    """A cordon and its note are one change, and the API server knows whose the cordon is."""
    note = "transom.dev/cordon"
    for unschedulable, text in ((True, '{"holder": "ann"}'), (False, None)):
        await api.set_unschedulable(node, unschedulable=unschedulable, annotations={note: text})
        found = await api.node(node)
        assert found is not None
        assert found.unschedulable is unschedulable
        assert found.annotations.get(note) == text
        assert found.cordoned_by == (FIELD_MANAGER if unschedulable else "")


async def _knows_a_fleets_nodes(api: Api, node: str) -> None:
    listed = {item.name: item for item in await api.nodes()}
    assert missing_fleet_label(listed[node], "shop") == {FLEET: "shop"}
    await api.label_node(node, missing_fleet_label(listed[node], "shop"))
    (marked,) = [item for item in await api.nodes() if item.labels.get(FLEET) == "shop"]
    assert (marked.name, missing_fleet_label(marked, "shop")) == (node, {})
    await api.label_node(node, taken_off(marked.labels))
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


async def _finds_kinds(door: Door) -> None:
    assert await door.serves("v1", "ConfigMap")
    assert not await door.serves("nobody.example/v1", "Nothing")
    assert await door.list("nobody.example/v1", "Nothing") == ()
    assert await door.get(ObjectName("nobody.example/v1", "Nothing", "", "a")) is None
    assert await door.resource("v1", "Namespace") == Resource(
        "Namespace", "v1", "namespaces", namespaced=False
    )
    assert await door.resources(["NoSuchKind"]) == ()
    (services, budgets) = await door.resources(["Service", "PodDisruptionBudget"])
    assert services == Resource("Service", "v1", "services", namespaced=True)
    assert budgets.api_version == "policy/v1"
    found = [item async for item in door.objects(services, namespace="default")]
    assert ("Service", "v1", "kubernetes") in [
        (item["kind"], item["apiVersion"], item["metadata"]["name"]) for item in found
    ]
    assert [item async for item in door.objects(services, namespace="kube-public")] == []


async def _applies(door: Door) -> None:
    words = name_of(config_map())
    assert await door.get(words) is None
    assert await door.delete(words) is False
    with pytest.raises(NotFound, match='namespaces "contract" not found'):
        await door.apply(config_map(a="1"))
    with pytest.raises(PermanentError, match="no kind Nothing"):
        await door.apply({**SPACE, "apiVersion": "nobody.example/v1", "kind": "Nothing"})

    await door.apply(SPACE)
    assert await door.get(words) is None
    await door.apply(config_map(a="1"), dry_run=True)
    assert await door.get(words) is None

    first = await door.apply(config_map(a="1", b="2"))
    again = await door.apply(config_map(a="1", b="2"))
    assert first["metadata"]["resourceVersion"] == again["metadata"]["resourceVersion"]
    dropped = await door.apply(config_map(a="3"), dry_run=True)
    assert dropped["data"] == {"a": "3"}
    kept = await door.get(words)
    assert kept is not None
    assert kept["data"] == {"a": "1", "b": "2"}
    changed = await door.apply(config_map(a="3"))
    assert changed["data"] == {"a": "3"}

    listed = await door.list("v1", "ConfigMap", labels={"of": "contract"})
    assert [item["metadata"]["name"] for item in listed] == ["words"]
    assert {(item["apiVersion"], item["kind"]) for item in listed} == {("v1", "ConfigMap")}
    assert await door.list("v1", "ConfigMap", labels={"of": "nobody"}) == ()

    ours = {**FOREIGN, "data": {"shared": "ours"}}
    with pytest.raises(FieldConflict, match="Apply failed with 1 conflict") as caught:
        await door.apply(ours)
    assert [item.field for item in caught.value.fields] == [".data.shared"]
    assert caught.value.fields[0].manager
    taken = await door.apply(ours, force=True)
    assert taken["data"] == {"mine": "1", "shared": "ours"}
    other = await door.apply(config_map(other="4"), manager="another")
    assert other["data"] == {"a": "3", "other": "4"}
    assert await door.delete(words) is True
    assert await door.get(words) is None


async def _writes(door: Door) -> None:
    words = name_of(config_map())
    made = await door.create(config_map(a="1"))
    with pytest.raises(AlreadyExists):
        await door.create(config_map(a="1"))
    changed = await door.patch(words, {"data": {"a": None, "b": "2"}})
    assert changed["data"] == {"b": "2"}
    for late in (
        door.replace({**made, "data": {}}),
        door.patch(words, {"metadata": made["metadata"], "data": {}}),
        door.delete(words, Deletion(version=made["metadata"]["resourceVersion"])),
        door.delete(words, Deletion(uid="another")),
    ):
        with pytest.raises(Conflict):
            await late
    replaced = await door.replace({**changed, "data": {"c": "3"}})
    assert replaced["data"] == {"c": "3"}
    operations = [
        {"op": "test", "path": "/data/c", "value": "3"},
        {"op": "replace", "path": "/data/c", "value": "4"},
        {"op": "add", "path": "/metadata/labels/a~1b", "value": "x"},
    ]
    patched = await door.patch(words, operations, patch=Patch.JSON)
    assert (patched["data"], patched["metadata"]["labels"]["a/b"]) == ({"c": "4"}, "x")
    with pytest.raises(Invalid):
        await door.patch(words, operations, patch=Patch.JSON)
    patched = await door.patch(words, {"data": {"d": "5"}}, patch=Patch.STRATEGIC)
    assert patched["data"] == {"c": "4", "d": "5"}
    with pytest.raises(NotFound):
        await door.patch(words._replace(name="no-such-map"), {"data": {}})
    with pytest.raises(NotFound):
        await door.replace(config_map("no-such-map"))
    assert await door.delete(words, Deletion(uid=made["metadata"]["uid"])) is True


async def _lists_by_pages(door: Door) -> None:
    names = [f"page-{number}" for number in range(5)]
    for name in names:
        await door.create(config_map(name))
    ours = Selection(namespace="contract", labels={"of": "contract"})
    page = await door.page(CONFIG_MAP, ours, limit=2)
    found = [item["metadata"]["name"] for item in page.items]
    assert page.following
    while page.following:
        page = await door.page(CONFIG_MAP, ours, limit=2, following=page.following)
        found += [item["metadata"]["name"] for item in page.items]
    assert found == names
    one = Selection(namespace="contract", fields={"metadata.name": "page-3"})
    listed = await door.listed(CONFIG_MAP, one)
    assert [item["metadata"]["name"] for item in listed.items] == ["page-3"]
    assert int(listed.version) > 0


async def _watches(door: Door, *, forgets: bool) -> None:
    listed = await door.listed(CONFIG_MAP, INSIDE)

    async def change() -> None:
        await door.create(config_map("watched", a="1"))
        await door.patch(name_of(config_map("watched")), {"data": {"a": "2"}})
        await door.delete(name_of(config_map("watched")))

    async def follow(since: str, count: int) -> list[tuple[Change, dict[str, str]]]:
        seen: list[tuple[Change, dict[str, str]]] = []
        async with aclosing(door.watch(CONFIG_MAP, since, INSIDE, deadline_s=10)) as events:
            async for event in events:
                if event.change is not Change.BOOKMARK:
                    assert int(event.version) > int(since)
                    seen.append((event.change, event.object["data"]))
                if len(seen) == count:
                    break
        return seen

    seen, _ = await asyncio.gather(follow(listed.version, 3), change())
    assert seen == [
        (Change.ADDED, {"a": "1"}),
        (Change.MODIFIED, {"a": "2"}),
        (Change.DELETED, {"a": "2"}),
    ]
    assert await follow(listed.version, 3) == seen  # what was before it began
    now = (await door.listed(CONFIG_MAP, INSIDE)).version
    ended = [event async for event in door.watch(CONFIG_MAP, now, INSIDE, deadline_s=1)]
    assert {event.change for event in ended} <= {Change.BOOKMARK}
    if forgets:
        with pytest.raises(Expired):
            await follow("1", 1)


async def _keeps_status_apart(door: Door, node: str) -> None:
    name = ObjectName(NODE.api_version, NODE.kind, "", node)
    conditions = [{"type": "Calm", "status": "True"}]
    await door.patch(name, {"status": {"conditions": conditions}})
    found = await door.get(name)
    assert found is not None
    assert "Calm" not in str(found.get("status"))
    labels = {"metadata": {"labels": {"calm": "true"}}}
    await door.patch(name, {"status": {"conditions": conditions}}, subresource="status")
    await door.patch(name, labels)
    found = await door.get(name)
    assert found is not None
    assert found["status"]["conditions"][0]["type"] == "Calm"
    more = {"status": {"conditions": [{"type": "Windy", "status": "False"}]}}
    await door.patch(name, more, patch=Patch.STRATEGIC, subresource="status")
    found = await door.get(name)
    assert found is not None
    assert {"Calm", "Windy"} <= {item["type"] for item in found["status"]["conditions"]}
    applied = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}}
    phase = {**applied, "status": {"phase": "Running"}}
    assert (await door.apply(phase, subresource="status"))["status"]["phase"] == "Running"
    with pytest.raises(TransomError):
        await door.patch(name._replace(name="no-such-node"), labels)
