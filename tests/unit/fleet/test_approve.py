"""A serving certificate is approved for the very node that joined, and for nothing more."""

import asyncio
from dataclasses import replace

import pytest
from tests.unit.fleet.test_drain import Time

from transom.errors import PermanentError
from transom.fleet.approve import Asker, approve_serving, names_of
from transom.kube.memory import MemoryApi
from transom.model.sight import CertificateRequestSight, RequestState

ASKER = Asker(node="win-01", names=names_of("win-01", "WIN-01", ["10.0.0.21"]), since=100)
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


def approved(*requests):
    api = MemoryApi(server_version="1.37.1", seen_requests=list(requests))
    notes = asyncio.run(approve_serving(api, ASKER, Time()))
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


@pytest.mark.parametrize(
    "change", [{"names": ("win-01", "10.0.0.9")}, {"usages": ("server auth", "client auth")}]
)
def test_a_request_for_more_than_the_host_is_not_approved_and_is_named(change):
    notes, states = approved(replace(REQUEST, **change))
    assert states == [False]
    assert "csr-1 of win-01 is not approved: it asks for" in notes[0]


def test_a_person_who_may_not_approve_is_told_and_the_join_is_no_failure():
    class Forbidding(MemoryApi):
        async def approve(self, request, *, reason):
            del request, reason
            raise PermanentError("cannot approve: forbidden")

    api = Forbidding(server_version="1.37.1", seen_requests=[REQUEST])
    (note,) = asyncio.run(approve_serving(api, ASKER, Time()))
    assert "not approved: cannot approve: forbidden" in note
