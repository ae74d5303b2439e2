"""Emptying a node: budgets hold, nothing is lost unasked, and what stays is named."""

import asyncio

import pytest
from tests.support.cluster import Budget, MemoryApi
from tests.support.fleet_drain import Time

from transom.errors import PermanentError, TemporaryError
from transom.fleet.turning import Waiting, until
from transom.fleet.work.drain import drain
from transom.kube.api import Node, Pod
from transom.model.fleet import Drain


def pod(name, **more):
    values = {"controller": "ReplicaSet", "labels": {"app": "web"}, **more}
    return Pod(namespace="shop", name=name, node="win-01", **values)


def cluster(*pods, budget=None, ready=True, **node):
    return MemoryApi(
        server_version="1.37.1",
        held_nodes={"win-01": Node(name="win-01", ready=ready, **node)},
        pods={(item.namespace, item.name): item for item in pods},
        budgets={("shop", "web"): Budget(labels={"app": "web"}, min_available=budget)}
        if budget is not None
        else {},
    )


def drained(api, wish=None, clock=None):
    """Turn a drain to its end, as its phase does."""
    wish = wish or Drain()
    return asyncio.run(
        until(lambda: drain(api, "win-01", wish), clock or Time(), deadline_s=wish.timeout_s)
    )


def test_pods_leave_and_what_belongs_to_the_node_stays():
    kept = [
        pod("agent", controller="DaemonSet"),
        pod("static", controller="", is_mirror=True),
        pod("done", is_finished=True),
    ]
    api = cluster(pod("web-1"), *kept)
    drained(api)
    assert {item.name for item in api.pods.values()} == {"agent", "static", "done"}


def test_a_budget_holds_until_there_is_another_replica():
    api = cluster(pod("web-1"), budget=1)

    def replaced():
        api.pods["shop", "web-2"] = Pod(
            namespace="shop", name="web-2", node="win-02", labels={"app": "web"}
        )

    drained(api, clock=Time(replaced))
    assert [item.name for item in api.pods.values()] == ["web-2"]


def test_a_budget_that_never_yields_is_named_with_its_pod():
    api = cluster(pod("web-1"), budget=1)
    with pytest.raises(TemporaryError) as caught:
        drained(api, Drain(timeout_s=30))
    assert caught.value.message == (
        "win-01 did not empty in 30 s: shop/web-1: The disruption budget web needs 1 healthy pods "
        "and has 1 currently"
    )


def test_pods_that_a_silent_kubelet_never_ends_are_not_waited_for_but_budgets_hold():
    ending = pod("web-1", is_leaving=True)
    clock = Time()
    drained(cluster(ending, pod("web-2"), ready=False), clock=clock)
    assert clock.now == 0
    with pytest.raises(TemporaryError, match="web-1: it is ending, but has not ended"):
        drained(cluster(ending), Drain(timeout_s=30))
    with pytest.raises(TemporaryError, match="shop/web-2: The disruption budget web"):
        drained(cluster(ending, pod("web-2"), ready=False, budget=2), Drain(timeout_s=30))


@pytest.mark.parametrize(
    ("wrong", "wish", "message"),
    [
        (pod("a", controller=""), Drain(), "no controller"),
        (pod("a", has_empty_dir=True), Drain(), "emptyDir"),
    ],
)
def test_what_would_be_lost_is_refused_before_the_first_pod_goes(wrong, wish, message):
    api = cluster(pod("web-1"), wrong)
    with pytest.raises(PermanentError, match=message):
        drained(api, wish)
    assert len(api.pods) == 2


def test_what_would_be_lost_goes_where_the_fleet_allows_it():
    api = cluster(pod("a", controller="", has_empty_dir=True))
    wish = Drain(force=True, delete_empty_dir_data=True)
    drained(api, wish)
    assert api.pods == {}


class Hiccups(MemoryApi):
    """A cluster of which a call fails so often before it answers."""

    failing = "pods_on"
    error: Exception = TemporaryError("etcdserver: request timed out")
    times = 3

    def _fail(self, name):
        if name == self.failing and self.times:
            self.times -= 1
            raise self.error

    async def pods_on(self, node):
        self._fail("pods_on")
        return await super().pods_on(node)

    async def evict(self, pod, *, grace_period_s=None):
        self._fail("evict")
        return await super().evict(pod, grace_period_s=grace_period_s)


def hiccups(failing, error, times):
    api = Hiccups(server_version="1.37.1", held_nodes=dict(cluster().held_nodes))
    api.pods.update({("shop", "web-1"): pod("web-1"), ("shop", "web-2"): pod("web-2")})
    api.failing, api.error, api.times = failing, error, times
    return api


@pytest.mark.parametrize("failing", ["pods_on", "evict"])
@pytest.mark.parametrize(
    "error",
    [
        TemporaryError("cannot evict: the server is currently unable to handle the request"),
        PermanentError("cannot evict: forbidden by a server that has just started"),
    ],
    ids=["busy", "just started"],
)
def test_an_api_server_that_hiccups_costs_a_drain_only_time(failing, error):
    api, clock = hiccups(failing, error, 3), Time()
    drained(api, clock=clock)
    assert api.pods == {}
    assert 0 < clock.now < 30


def test_one_pod_that_cannot_be_asked_keeps_no_other():
    api = hiccups("evict", TemporaryError("too many requests"), 1)
    asyncio.run(drain(api, "win-01", Drain()))
    assert [name for _, name in api.pods] == ["web-1"]


def test_an_outage_that_outlasts_the_drain_is_told_as_one():
    clock = Time()
    with pytest.raises(TemporaryError, match="etcdserver"):
        drained(hiccups("pods_on", Hiccups.error, 999), Drain(timeout_s=30), clock)
    assert clock.now == 30


def test_who_may_not_evict_is_told_within_a_minute():
    clock = Time()
    with pytest.raises(PermanentError, match="may not"):
        drained(hiccups("evict", PermanentError("you may not"), 999), Drain(timeout_s=600), clock)
    assert clock.now == 60


def test_what_is_waited_for_is_said():
    api = cluster(*(pod(f"web-{n}") for n in range(5)), budget=5)
    waiting = asyncio.run(drain(api, "win-01", Drain()))
    assert isinstance(waiting, Waiting)
    assert waiting.what == "wait until shop/web-0, shop/web-1, shop/web-2 and 2 more have left"
