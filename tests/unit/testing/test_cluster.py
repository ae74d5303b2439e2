"""The cluster in memory, where a real server shows nothing different but a test must be able to say it."""

import asyncio
from contextlib import aclosing

import pytest

from transom.errors import PermanentError, UnsupportedError
from transom.kube.door import CONFIG_MAP, POD, Change, Executed
from transom.kube.errors import Expired, Forbidden
from transom.model.manifest import ObjectName
from transom.testing.cluster import MemoryCluster

POD_NAME = ObjectName(POD.api_version, POD.kind, "default", "web")


def config_map(name, **data):
    place = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": place, "data": data}


def pod():
    place = {"name": "web", "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": place, "spec": {}}


def test_a_change_while_an_event_is_looked_at_is_not_missed():
    async def walk():
        cluster = MemoryCluster()
        since = (await cluster.listed(CONFIG_MAP)).version
        cluster.put(config_map("a"))
        seen = []
        async with aclosing(cluster.watch(CONFIG_MAP, since, deadline_s=5)) as events:
            async for event in events:
                seen.append((event.change, event.object["metadata"]["name"]))
                if len(seen) < 3:
                    cluster.put(config_map(f"b{len(seen)}"))
                else:
                    break
        return seen

    assert asyncio.run(walk()) == [(Change.ADDED, name) for name in ("a", "b1", "b2")]


def test_versions_and_pages_that_are_compacted_are_gone():
    async def walk():
        cluster = MemoryCluster([config_map(name) for name in "abc"])
        page = await cluster.page(CONFIG_MAP, limit=1)
        cluster.put(config_map("d"))
        cluster.compact()
        with pytest.raises(Expired) as caught:
            await cluster.page(CONFIG_MAP, limit=1, following=page.following)
        rest = await cluster.page(CONFIG_MAP, limit=9, following=caught.value.following)
        assert [item["metadata"]["name"] for item in rest.items] == ["b", "c", "d"]
        with pytest.raises(Expired):
            async for _ in cluster.watch(CONFIG_MAP, page.version, deadline_s=1):
                pass

    asyncio.run(walk())


def test_a_watch_ends_with_a_bookmark_to_go_on_from():
    async def walk():
        cluster = MemoryCluster()
        since = (await cluster.listed(CONFIG_MAP)).version
        cluster.put(pod())
        return [event async for event in cluster.watch(CONFIG_MAP, since, deadline_s=0.05)], since

    (bookmark,), since = asyncio.run(walk())
    assert bookmark.change is Change.BOOKMARK
    assert int(bookmark.version) > int(since)


def test_pods_answer_what_a_test_says():
    async def walk():
        cluster = MemoryCluster([pod()])
        with pytest.raises(UnsupportedError):
            await cluster.execute(POD_NAME, ["cmd"])
        cluster.programs = lambda _pod, command, stdin: Executed(3, stdin, command[0].encode())
        cluster.outputs["default", "web"] = b"one\ntwo\n"
        assert await cluster.execute(POD_NAME, ["cmd"], stdin=b"x") == Executed(3, b"x", b"cmd")
        assert await cluster.logs(POD_NAME, tail=1) == b"two\n"
        assert await cluster.logs(POD_NAME) == b"one\ntwo\n"
        with pytest.raises(PermanentError, match="connection refused"):
            cluster.forward(POD_NAME, 80)

    asyncio.run(walk())


def test_a_kind_that_may_not_be_seen_is_refused_by_every_way_of_reading():
    async def walk():
        cluster = MemoryCluster([pod()], forbidden=["Pod"])
        with pytest.raises(Forbidden):
            await cluster.get(POD_NAME)
        with pytest.raises(Forbidden):
            await cluster.listed(POD)
        with pytest.raises(Forbidden):
            async for _ in cluster.watch(POD, "1", deadline_s=1):
                pass

    asyncio.run(walk())
