"""A serving certificate is approved for the very node that joined, and for nothing more."""

import asyncio
from dataclasses import replace

import pytest
from tests.support.cluster import MemoryApi
from tests.support.fleet_drain import Time

from transom.errors import PermanentError, TransomError
from transom.fleet.turning import until
from transom.fleet.work.approve import Asker, approve_serving, names_of
from transom.kube.api import Node
from transom.model.sight import CertificateRequestSight, RequestState

ASKER = Asker(
    node="win-01",
    names=names_of("win-01", ["10.0.0.21", "win-01.corp.example", ""]),
    since=100,
    endpoint="10.0.0.1:6443",
    services=("10.96.0.0/12", "fd00:10:96::/112"),
    domain="cluster.local",
)
REQUEST = CertificateRequestSight(
    name="csr-1",
    signer="kubernetes.io/kubelet-serving",
    username="system:node:win-01",
    subject="system:node:win-01",
    created=101,
    state=RequestState.PENDING,
    names=("win-01", "10.0.0.21"),
    usages=("digital signature", "server auth"),
)


def decide(api, asker=ASKER):
    """Turn it as its phase does: what was not approved is the phase's note."""
    notes: list[str] = []

    async def look():
        found = await approve_serving(api, asker)
        if isinstance(found, tuple):
            notes.extend(found)
            return None
        return found

    try:
        asyncio.run(until(look, Time(), deadline_s=60))
    except TransomError as error:
        notes.append(error.message)
    return tuple(notes)


def approved(*requests, asker=ASKER, nodes=()):
    held = {node.name: node for node in nodes}
    api = MemoryApi(server_version="1.37.1", seen_requests=list(requests), held_nodes=held)
    notes = decide(api, asker)
    return notes, [item.state is RequestState.APPROVED for item in api.seen_requests]


def test_the_nodes_own_request_is_approved():
    assert approved(REQUEST) == ((), [True])


@pytest.mark.parametrize(
    "change",
    [
        {"signer": "kubernetes.io/kube-apiserver-client"},
        {"username": "system:node:win-02"},
        {"subject": "system:node:win-02"},
        {"created": 99},
    ],
)
def test_a_request_of_another_kind_node_or_time_is_left_alone(change):
    notes, states = approved(replace(REQUEST, **change))
    assert states == [False]
    assert "has not asked" in notes[0]


def test_a_request_of_the_second_in_which_the_join_began_is_of_this_join():
    assert approved(replace(REQUEST, created=100)) == ((), [True])


def test_a_request_that_comes_later_is_waited_for():
    class Late(MemoryApi):
        asked = 0

        async def request_sights(self):
            self.asked += 1
            if self.asked == 3:
                self.seen_requests.append(REQUEST)
            return await super().request_sights()

    api = Late(server_version="1.37.1")
    assert decide(api) == ()
    assert api.asked == 3
    assert [item.state for item in api.seen_requests] == [RequestState.APPROVED]


@pytest.mark.parametrize("state", [RequestState.DENIED, RequestState.FAILED])
def test_a_request_that_was_denied_or_failed_stays_so_and_is_named(state):
    notes, states = approved(replace(REQUEST, state=state))
    assert states == [False]
    assert notes == (f"csr-1 of win-01 is not approved: it was {state.value} before",)


def test_a_request_that_somebody_approved_is_left_alone():
    assert approved(replace(REQUEST, state=RequestState.APPROVED)) == ((), [True])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"names": ("win-01", "10.0.0.9")}, "it asks for 10.0.0.9; the fleet does not know"),
        ({"usages": ("server auth", "client auth")}, "it asks for the usages client auth"),
        ({"names": ()}, "it asks for no name"),
        ({"unreadable": "odd bytes"}, "its names cannot be read: it has other attributes"),
    ],
)
def test_a_request_for_more_than_the_operator_knows_is_not_approved_and_is_named(change, said):
    notes, states = approved(replace(REQUEST, **change))
    assert states == [False]
    assert f"csr-1 of win-01 is not approved: {said}" in notes[0]


def test_an_unknown_address_is_reported_with_what_to_do_about_it():
    notes, _ = approved(replace(REQUEST, names=("win-01", "192.168.7.7")))
    assert "192.168.7.7" in notes[0]
    assert "`kubectl describe csr csr-1`" in notes[0]
    assert "`kubectl certificate approve csr-1`" in notes[0]


@pytest.mark.parametrize("name", ["WIN-01", "win-01.corp.example", "10.0.0.21"])
def test_every_name_that_the_operator_knows_is_approved(name):
    assert approved(replace(REQUEST, names=(name,))) == ((), [True])


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("10.0.0.1", "the API server's"),
        ("kubernetes", "the API server's"),
        ("kubernetes.default.svc", "the API server's"),
        ("Kubernetes.default.svc.cluster.local", "the API server's"),
        ("10.96.0.1", "a Service's"),
        ("fd00:10:96::a", "a Service's"),
        ("lin-01", "node lin-01's"),
        ("10.0.0.7", "node lin-01's"),
    ],
)
def test_what_is_anothers_is_refused_even_where_the_fleet_says_it_is_the_hosts(name, whose):
    asker = replace(ASKER, names=names_of("win-01", [name]))
    nodes = [
        Node(name="lin-01", ready=True, addresses=("10.0.0.7",)),
        Node(name="win-01", ready=True, addresses=("10.0.0.21",)),
    ]
    notes, states = approved(replace(REQUEST, names=("win-01", name)), asker=asker, nodes=nodes)
    assert states == [False]
    assert f"it asks for {name} ({whose})" in notes[0]


def test_what_is_judged_is_the_request_as_it_is_when_it_is_approved():
    class Swapped(MemoryApi):
        async def request_sights(self):
            listed = await super().request_sights()
            self.seen_requests = [replace(REQUEST, names=("win-01", "kubernetes.default.svc"))]
            return listed

    api = Swapped(server_version="1.37.1", seen_requests=[REQUEST])
    (note,) = decide(api)
    assert "kubernetes.default.svc" in note
    assert [item.state for item in api.seen_requests] == [RequestState.PENDING]


def test_a_request_that_another_took_the_name_of_meanwhile_is_not_approved():
    class Swapped(MemoryApi):
        async def request_sights(self):
            listed = await super().request_sights()
            self.seen_requests = [replace(REQUEST, username="system:node:win-02")]
            return listed

    api = Swapped(server_version="1.37.1", seen_requests=[REQUEST])
    (note,) = decide(api)
    assert "no longer the request" in note
    assert [item.state for item in api.seen_requests] == [RequestState.PENDING]


def test_a_person_who_may_not_approve_is_told_and_the_join_is_no_failure():
    class Forbidding(MemoryApi):
        async def approve(self, request, *, reason, judge):
            del request, reason, judge
            raise PermanentError("cannot approve: forbidden")

    api = Forbidding(server_version="1.37.1", seen_requests=[REQUEST])
    (note,) = decide(api)
    assert "not approved: cannot approve: forbidden" in note
