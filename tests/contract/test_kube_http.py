"""The door over HTTP: what a server answers becomes values or the error that says what to do."""

import asyncio
import json
import time
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.support.api_server import ApiServer, answer, lines, silence

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.kube import errors
from transom.kube.api import Api
from transom.kube.door import CONFIG_MAP, NODE, PAGE, POD, Change, Deletion, Propagation, Selection
from transom.kube.in_cluster import service_account
from transom.kube.login import TokenFile
from transom.model.manifest import ObjectName

NODES = "/api/v1/nodes"
NAME = ObjectName("v1", "Node", "", "win-01")
BUDGET = "Cannot evict pod as it would violate the pod's disruption budget."


@pytest.fixture
def server():
    with ApiServer() as server:
        yield server


def run(server, work, **bounds):
    """What `work` makes of the door."""

    async def walk():
        door = server.door(**bounds)
        try:
            return await work(door)
        finally:
            await door.close()

    return asyncio.run(walk())


def status(code, reason="", **more):
    return answer(code, {"kind": "Status", "code": code, "reason": reason, "message": "so", **more})


@pytest.mark.parametrize(
    ("code", "reason", "kind", "family"),
    [
        (400, "BadRequest", errors.Invalid, PermanentError),
        (401, "Unauthorized", errors.Forbidden, PermanentError),
        (403, "Forbidden", errors.Forbidden, PermanentError),
        (404, "NotFound", errors.NotFound, PermanentError),
        (409, "AlreadyExists", errors.AlreadyExists, PermanentError),
        (409, "Conflict", errors.Conflict, PermanentError),
        (410, "Expired", errors.Expired, TemporaryError),
        (413, "RequestEntityTooLarge", PermanentError, PermanentError),
        (422, "Invalid", errors.Invalid, PermanentError),
        (429, "TooManyRequests", errors.Throttled, TemporaryError),
        (500, "InternalError", errors.Unavailable, TemporaryError),
        (503, "", errors.Unavailable, TemporaryError),
        (504, "Timeout", errors.Unavailable, TemporaryError),
    ],
)
def test_each_refusal_is_an_error_of_its_own(server, code, reason, kind, family):
    server.serve(f"{NODES}/win-01", status(code, reason))
    with pytest.raises(kind, match="cannot change Node win-01: so") as caught:
        run(server, lambda door: door.patch(NAME, {}))
    assert type(caught.value) is kind
    assert isinstance(caught.value, family)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (answer(429, {"message": "so"}, Retry_After="7"), 7),
        (status(429, details={"retryAfterSeconds": 3}), 3),
        (answer(503, b"<html>", Retry_After="1"), 1),
        (answer(429, b"", Retry_After="99999"), 300),
        (answer(429, b"", Retry_After="Wed, 21 Oct 2026 07:28:00 GMT"), 5),
        (answer(429, json.dumps({"details": []}).encode(), Retry_After="-1"), 5),
    ],
)
def test_how_long_to_wait_is_what_the_server_asks_for_within_bounds(server, given, expected):
    server.serve(f"{NODES}/win-01", given)
    with pytest.raises(TemporaryError) as caught:
        run(server, lambda door: door.get(NAME))
    assert caught.value.delay_s == expected


def test_a_budget_that_keeps_a_pod_is_told_from_a_busy_server(server):
    cause = {"reason": "DisruptionBudget", "message": "The disruption budget web needs 1"}
    path = "/api/v1/namespaces/shop/pods/web/eviction"
    server.serve(path, status(429, details={"causes": [cause]}), status(429))
    pod = ObjectName("v1", "Pod", "shop", "web")
    for expected in ("The disruption budget web needs 1", ""):
        with pytest.raises(errors.Throttled) as caught:
            run(server, lambda door: door.evict(pod, grace_period_s=0))
        assert caught.value.budget == expected
    (sent, _) = [json.loads(asked.body) for asked in server.seen]
    assert (sent["kind"], sent["deleteOptions"]) == ("Eviction", {"gracePeriodSeconds": 0})


def test_fields_that_others_own_are_named_with_their_owner(server):
    causes = [
        {
            "reason": "FieldManagerConflict",
            "message": 'conflict with "kubectl" using v1',
            "field": ".spec.taints",
        }
    ]
    server.serve(f"{NODES}/win-01", status(409, "Conflict", details={"causes": causes}))
    manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "win-01"}}
    with pytest.raises(errors.FieldConflict) as caught:
        run(server, lambda door: door.apply(manifest))
    assert caught.value.fields == (("kubectl", ".spec.taints"),)
    assert dict(server.seen[0].params) == {"fieldManager": "transom", "force": "false"}


def test_a_deletion_carries_its_conditions(server):
    server.serve(f"{NODES}/win-01", answer(200, {}))
    how = Deletion(uid="u", version="7", propagation=Propagation.ORPHAN, grace_period_s=0)
    assert run(server, lambda door: door.delete(NAME, how)) is True
    sent = json.loads(server.seen[0].body)
    assert sent["preconditions"] == {"uid": "u", "resourceVersion": "7"}
    assert (sent["propagationPolicy"], sent["gracePeriodSeconds"]) == ("Orphan", 0)


def page(*names, version="5", following=""):
    items = [{"metadata": {"name": name}} for name in names]
    metadata = {"resourceVersion": version, "continue": following}
    return answer(200, {"kind": "NodeList", "metadata": metadata, "items": items})


def names(items):
    return [item["metadata"]["name"] for item in items]


def test_a_list_of_several_pages_is_whole_and_in_one_version(server):
    server.serve(NODES, page("a", "b", following="t1"), page("c", following="t2"), page())
    found = run(server, lambda door: door.listed(NODE, Selection(labels={"k": "v"})))
    assert (names(found.items), found.version) == (["a", "b", "c"], "5")
    assert found.items[0]["kind"] == "Node"
    assert [dict(asked.params).get("continue") for asked in server.seen] == [None, "t1", "t2"]
    assert {dict(asked.params)["limit"] for asked in server.seen} == {str(PAGE)}
    assert {dict(asked.params)["labelSelector"] for asked in server.seen} == {"k=v"}


def test_a_list_that_became_too_old_is_begun_again(server):
    old = status(410, "Expired", metadata={"continue": "newer"})
    server.serve(NODES, page("a", following="t1"), old, page("x", "y", version="9"))
    found = run(server, lambda door: door.listed(NODE))
    assert (names(found.items), found.version) == (["x", "y"], "9")


def test_a_list_that_is_always_too_old_is_given_up(server):
    server.serve(NODES, *[page("a", following="t"), status(410, "Expired")] * 3)
    with pytest.raises(errors.Expired):
        run(server, lambda door: door.listed(NODE))
    assert len(server.seen) == 6


def test_objects_that_are_passed_on_go_on_in_a_newer_version(server):
    """What was passed on cannot be taken back, so that the server's own token is used."""
    old = status(410, "Expired", metadata={"continue": "newer"})
    server.serve(NODES, page("a", following="t1"), old, page("b"))

    async def walk(door):
        return [item async for item in door.objects(NODE)]

    assert names(run(server, walk)) == ["a", "b"]
    assert dict(server.seen[-1].params)["continue"] == "newer"
    server.serve(NODES, page("a", following="t1"), status(410, "Expired"))
    with pytest.raises(errors.Expired):
        run(server, walk)


def event(kind, version, **more):
    return {"type": kind, "object": {"metadata": {"resourceVersion": version}, **more}}


async def watched(door, deadline_s=5):
    async with aclosing(
        door.watch(CONFIG_MAP, "7", Selection(namespace="shop"), deadline_s=deadline_s)
    ) as events:
        return [(item.change, item.version) async for item in events]


WATCHED = "/api/v1/namespaces/shop/configmaps"


def test_a_watch_gives_changes_and_bookmarks_until_the_server_ends_it(server):
    sent = [event("ADDED", "8"), event("BOOKMARK", "20"), event("DELETED", "21")]
    whole = b"".join(json.dumps(item).encode() + b"\n" for item in sent)
    server.serve(WATCHED, lines(whole[:30], whole[30:]))
    assert run(server, watched) == [
        (Change.ADDED, "8"),
        (Change.BOOKMARK, "20"),
        (Change.DELETED, "21"),
    ]
    assert dict(server.seen[0].params) == {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": "7",
        "timeoutSeconds": "5",
    }


@pytest.mark.parametrize(
    "old",
    [
        status(410, "Expired"),
        lines({"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old"}}),
    ],
    ids=["at once", "in the stream"],
)
def test_a_version_that_is_too_old_asks_for_a_new_list(server, old):
    server.serve(WATCHED, old)
    with pytest.raises(errors.Expired):
        run(server, watched)


@pytest.mark.parametrize(
    "sent",
    [
        {"type": "NEWER", "object": {"metadata": {}}},
        {"type": "ADDED", "object": "a"},
        {"type": "ADDED"},
        b"[]\n",
        b"{\n",
    ],
)
def test_a_watch_that_sends_something_else_is_an_error(server, sent):
    server.serve(WATCHED, lines(sent))
    with pytest.raises(PermanentError, match="does not answer as an API server"):
        run(server, watched)


def test_a_watch_that_nobody_ends_is_left_at_its_deadline(server, monkeypatch):
    monkeypatch.setattr("transom.kube.http._SLACK_S", 0.2)
    server.serve(WATCHED, lines(event("ADDED", "8"), hang=True))
    began = time.monotonic()
    with pytest.raises(errors.Unavailable, match="did not answer in time"):
        run(server, lambda door: watched(door, 0.2))
    assert time.monotonic() - began < 5


def test_a_watch_that_is_cut_is_temporary(server):
    def cut(exchange):
        lines(event("ADDED", "8"), b"", hang=False)
        exchange.send_response(200)
        exchange.send_header("Transfer-Encoding", "chunked")
        exchange.end_headers()
        exchange.wfile.write(b"5\r\n{")
        exchange.close_connection = True

    server.serve(WATCHED, cut)
    with pytest.raises(errors.Unavailable, match="cannot reach the API server"):
        run(server, watched)


@pytest.mark.parametrize("path", [f"{NODES}/win-01", NODES])
def test_a_server_that_says_nothing_is_left_at_the_deadline(server, path):
    server.serve(path, silence)
    began = time.monotonic()
    with pytest.raises(errors.Unavailable):
        run(
            server,
            lambda door: door.get(NAME) if path.endswith("01") else door.listed(NODE),
            deadline_s=0.3,
        )
    assert time.monotonic() - began < 5


def test_an_answer_that_is_too_large_is_not_kept(server, monkeypatch):
    server.serve(f"{NODES}/win-01", answer(200, b"[" + b" " * 5000))
    with pytest.raises(PermanentError, match="too large"):
        run(server, lambda door: door.get(NAME), largest=1000)
    monkeypatch.setattr("transom.kube.http._LARGEST_LINE", 1000)
    server.serve(WATCHED, lines(b" " * 5000))
    with pytest.raises(PermanentError, match="too large"):
        run(server, watched)


@pytest.mark.parametrize("content", [b"<html>", b"[]", b"", b"[" * 100_000])
def test_a_page_in_the_place_of_json_is_an_error(server, content):
    server.serve(f"{NODES}/win-01", answer(200, content))
    with pytest.raises(PermanentError, match="does not answer as an API server"):
        run(server, lambda door: door.get(NAME))


@pytest.mark.parametrize(
    "odd",
    [
        {"metadata": {}},
        {"metadata": {"name": "a"}, "status": []},
        {"metadata": {"name": "a"}, "status": {"conditions": [{}]}},
        {"metadata": {"name": "a"}, "spec": {"taints": [1]}},
    ],
)
def test_an_object_in_another_form_is_an_error_that_names_it(server, odd):
    server.serve(NODES, answer(200, {"metadata": {}, "items": [odd]}))
    with pytest.raises(PermanentError, match="cannot read Node"):
        run(server, lambda door: Api(door).nodes())


@pytest.mark.parametrize("items", [5, [5], [{}], {"a": 1}])
def test_a_list_of_something_else_is_an_error(server, items):
    server.serve(NODES, answer(200, {"metadata": {}, "items": items}))
    with pytest.raises(PermanentError, match="does not answer as an API server"):
        run(server, lambda door: door.listed(NODE))


def test_no_name_leads_to_another_path(server):
    for name in ("..", ".", ""):
        with pytest.raises(UsageError, match="no name of an object"):
            run(server, lambda door, name=name: door.get(NAME._replace(name=name)))
    assert run(server, lambda door: door.get(NAME._replace(name="../pods?a#b"))) is None
    assert [asked.path for asked in server.seen] == [f"{NODES}/..%2Fpods%3Fa%23b"]


def test_a_server_below_a_path_is_asked_there(server):
    """As Rancher and other proxies in front of many clusters are."""
    server.serve(f"/k8s/clusters/c-1{NODES}/win-01", answer(200, {"metadata": {"name": "a"}}))
    found = run(server, lambda door: door.get(NAME), below="/k8s/clusters/c-1")
    assert found == {"metadata": {"name": "a"}}


def test_the_kinds_of_a_group_are_asked_for_once(server):
    served = {"kind": "Thing", "name": "things", "namespaced": False}
    below = {"kind": "Thing", "name": "things/status", "namespaced": False}
    server.serve("/apis/corp.example/v1", answer(200, {"resources": [served, below]}))
    server.serve("/apis/corp.example/v1/things/a", answer(200, {"metadata": {}}))
    name = ObjectName("corp.example/v1", "Thing", "", "a")

    async def walk(door):
        return [await door.get(name), await door.get(name)]

    assert run(server, walk) == [{"metadata": {}}] * 2
    assert [asked.path for asked in server.seen].count("/apis/corp.example/v1") == 1


def test_the_last_lines_of_a_log_are_bytes(server):
    server.serve("/api/v1/namespaces/shop/pods/web/log", answer(200, b"\xff line\n"))
    pod = ObjectName(POD.api_version, POD.kind, "shop", "web")
    assert run(server, lambda door: door.logs(pod, container="c", tail=1)) == b"\xff line\n"
    assert {"container": "c", "tailLines": "1"}.items() <= dict(server.seen[0].params).items()


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def shown(server):
    return [asked.headers.get("authorization") for asked in server.seen]


def test_a_token_file_is_read_again_each_minute_and_at_once_where_it_is_refused(server, tmp_path):
    file, clock = tmp_path / "token", Clock()
    file.write_text("one\n")
    login = TokenFile(file, clock)
    server.serve(f"{NODES}/win-01", answer(200, {"metadata": {}}))

    async def walk(door):
        await door.get(NAME)
        file.write_text("two")
        await door.get(NAME)  # within the minute
        clock.now = 60
        await door.get(NAME)
        file.write_text("three")
        server.serve(f"{NODES}/win-01", status(401), answer(200, {"metadata": {}}))
        await door.get(NAME)
        file.unlink()
        clock.now = 200
        await door.get(NAME)  # while it is being replaced
        server.serve(f"{NODES}/win-01", status(401))
        with pytest.raises(errors.Forbidden):
            await door.get(NAME)  # nothing newer to try

    run(server, walk, login=login)
    assert shown(server) == [
        *(f"Bearer {word}" for word in ("one", "one", "two", "two", "three", "three", "three")),
    ]


def test_a_token_file_that_cannot_be_read_is_said_before_anything_is_sent(server, tmp_path):
    for content in (None, b"", b"\xff"):
        file = tmp_path / "token"
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(UsageError, match="cannot read a token in"):
            run(server, lambda door: door.get(NAME), login=TokenFile(file))
    assert server.seen == []


@pytest.mark.parametrize(
    ("host", "url"),
    [("10.96.0.1", "https://10.96.0.1:443"), ("fd00::1", "https://[fd00::1]:443")],
)
def test_a_pod_finds_its_own_cluster(tmp_path, host, url):
    environ = {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": "443"}
    assert service_account(environ, tmp_path) is None
    (tmp_path / "token").write_text("t")
    assert service_account({}, tmp_path) is None
    found = service_account(environ, tmp_path)
    assert found is not None
    assert (found.cluster.server, found.cluster.authority) == (url, str(tmp_path / "ca.crt"))
    assert found.user.token_file == str(Path(tmp_path, "token"))
