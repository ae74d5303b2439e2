"""Emptying a node: budgets hold, nothing is lost unasked, and what stays is named."""

import asyncio

import pytest

from transom.errors import PermanentError, TemporaryError
from transom.fleet.drain import cordon, drain, uncordon
from transom.fleet.marks import CORDONED
from transom.kube.api import Node, Pod
from transom.kube.memory import Budget, MemoryApi
from transom.model.fleet import Drain


class Time:
    def __init__(self, on_sleep=lambda: None):
        self.now, self.on_sleep = 0.0, on_sleep

    def monotonic(self):
        return self.now

    async def sleep(self, seconds):
        self.now += seconds
        self.on_sleep()


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


def test_pods_leave_and_what_belongs_to_the_node_stays():
    kept = [
        pod("agent", controller="DaemonSet"),
        pod("static", controller="", is_mirror=True),
        pod("done", is_finished=True),
    ]
    api = cluster(pod("web-1"), *kept)
    assert asyncio.run(drain(api, "win-01", Drain(), Time())) == 1
    assert {item.name for item in api.pods.values()} == {"agent", "static", "done"}


def test_a_budget_holds_until_there_is_another_replica():
    api = cluster(pod("web-1"), budget=1)

    def replaced():
        api.pods["shop", "web-2"] = Pod(
            namespace="shop", name="web-2", node="win-02", labels={"app": "web"}
        )

    asyncio.run(drain(api, "win-01", Drain(), Time(replaced)))
    assert [item.name for item in api.pods.values()] == ["web-2"]


def test_a_budget_that_never_yields_is_named_with_its_pod():
    api = cluster(pod("web-1"), budget=1)
    with pytest.raises(TemporaryError) as caught:
        asyncio.run(drain(api, "win-01", Drain(timeout_s=30), Time()))
    assert caught.value.message == (
        "win-01 did not empty in 30 s: shop/web-1: The disruption budget web needs 1 healthy pods "
        "and has 1 currently"
    )


def test_pods_that_a_silent_kubelet_never_ends_are_not_waited_for_but_budgets_hold():
    ending = pod("web-1", is_leaving=True)
    clock = Time()
    asyncio.run(drain(cluster(ending, pod("web-2"), ready=False), "win-01", Drain(), clock))
    assert clock.now == 0
    with pytest.raises(TemporaryError, match="web-1: it is ending, but has not ended"):
        asyncio.run(drain(cluster(ending), "win-01", Drain(timeout_s=30), Time()))
    with pytest.raises(TemporaryError, match="shop/web-2: The disruption budget web"):
        asyncio.run(
            drain(
                cluster(ending, pod("web-2"), ready=False, budget=2),
                "win-01",
                Drain(timeout_s=30),
                Time(),
            )
        )


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
        asyncio.run(drain(api, "win-01", wish, Time()))
    assert len(api.pods) == 2


def test_what_would_be_lost_goes_where_the_fleet_allows_it():
    api = cluster(pod("a", controller="", has_empty_dir=True))
    wish = Drain(force=True, delete_empty_dir_data=True)
    asyncio.run(drain(api, "win-01", wish, Time()))
    assert api.pods == {}


def test_only_a_node_that_we_cordoned_is_uncordoned():
    async def story(api):
        await cordon(api, "win-01")
        cordoned = await api.node("win-01")
        assert cordoned.unschedulable
        done = await uncordon(api, cordoned)
        after = await api.node("win-01")
        return done, after.unschedulable, CORDONED in after.labels

    assert asyncio.run(story(cluster())) == (True, False, False)
    assert asyncio.run(story(cluster(unschedulable=True))) == (False, True, False)


def test_a_node_that_is_not_there_cannot_be_drained():
    with pytest.raises(PermanentError, match="no Node win-02"):
        asyncio.run(cordon(cluster(), "win-02"))
