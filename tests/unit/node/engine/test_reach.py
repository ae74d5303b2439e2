"""A network step after which the host reaches nothing undoes itself; the deadline is the clock's."""

import json

import pytest

from transom.errors import PermanentError
from transom.model.request import Verb
from transom.node.engine.reach import Place, answering, is_reached, server_of
from transom.node.engine.runner import Ending, Runner
from transom.node.layout import Layout

LAYOUT = Layout()
SERVER, GATEWAY = "10.0.0.1:6443", "10.0.0.254"


@pytest.fixture
def host(make_host):
    """A host whose gateway is not the API server."""
    made = make_host()
    made.network.gateway = GATEWAY
    return made


def cut_by_routes(host, *, away=(SERVER, GATEWAY), for_s=None):
    """Let the first persistent route cut the host off, until it is gone or some time has passed."""
    put_route, sleep = host.network.put_route, host.clock.sleep
    began = []

    def put(prefix, gateway):
        put_route(prefix, gateway)
        host.network.unreachable = set(away) if gateway else set()
        began.append(host.clock.time)

    def wait(seconds):
        sleep(seconds)
        if for_s is not None and host.clock.time - began[0] >= for_s:
            host.network.unreachable = set()

    host.network.put_route, host.clock.sleep = put, wait
    return began


def events(host, name="r1"):
    return [json.loads(line) for line in host.disk.read(LAYOUT.events(name)).splitlines()]


def test_a_host_that_is_cut_off_for_a_minute_gets_its_network_back(host, request_for):
    first = host.snapshot()
    began = cut_by_routes(host)
    with pytest.raises(PermanentError, match=r"Keep routes was undone: no answer from .* for 60 s"):
        Runner(host, LAYOUT, "r1").execute(request_for(Verb.JOIN, remove_features=True))
    assert host.snapshot() == first
    assert 58 <= host.clock.time - began[0] <= 60
    undone = [event["step"] for event in events(host) if event["state"] == "undone"]
    assert undone[0] == "routes"


def test_the_network_is_given_back_even_where_a_failure_is_kept(host, request_for):
    cut_by_routes(host)
    with pytest.raises(PermanentError, match="was undone"):
        Runner(host, LAYOUT, "r1").execute(request_for(Verb.JOIN, keep_on_failure=True))
    assert host.network.persistent_route("10.9.0.0/16") is None
    assert host.environment.get("CRI_CONFIG") == "x"


def test_a_cut_that_ends_in_time_is_only_waited_for(host, request_for):
    cut_by_routes(host, for_s=40)
    assert Runner(host, LAYOUT, "r1").execute(request_for(Verb.JOIN)).ending is Ending.DONE


@pytest.mark.parametrize("away", [SERVER, GATEWAY])
def test_one_place_that_answers_is_enough(host, request_for, away):
    """An API server that is down, or a gateway that ignores echoes, is not the step's fault."""
    cut_by_routes(host, away=(away,))
    before = host.clock.time
    assert Runner(host, LAYOUT, "r1").execute(request_for(Verb.JOIN)).ending is Ending.DONE
    assert host.clock.time == before


def test_nothing_is_concluded_from_places_that_were_silent_before(host, request_for):
    host.network.unreachable = {GATEWAY}
    assert Runner(host, LAYOUT, "r1").execute(request_for(Verb.PREPARE)).ending is Ending.DONE


def test_a_host_without_gateway_and_endpoint_has_no_places(host):
    host.network.gateway = ""
    assert answering(host.network, "") == ()


def test_an_endpoint_may_be_an_ipv6_address():
    assert server_of("[fd00::1]:6443") == Place("fd00::1", 6443)


def test_waiting_has_a_deadline(host):
    host.network.unreachable = {GATEWAY}
    assert not is_reached(host, [Place(GATEWAY)], patience_s=10)
    assert host.clock.time == 1_790_000_010
