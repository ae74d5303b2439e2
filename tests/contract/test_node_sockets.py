"""What the node program asks of real sockets: a server's clock, a free port, a place that answers."""

import socket
import time

import pytest
import trustme
from tests.contract.web import Server, tls

from transom.node.host import sockets
from transom.node.host.trust import distrust


@pytest.fixture
def server(start):
    """An HTTPS server nobody has a reason to trust."""
    return start(Server(tls(trustme.CA())))


def test_a_server_tells_its_clock_though_it_refuses_the_request(server):
    told = sockets.time_at("127.0.0.1", server.server_port)
    assert told is not None
    assert abs(told - time.time()) < 60


def test_a_server_that_is_away_or_no_server_tells_nothing():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert sockets.time_at("127.0.0.1", port) is None


def test_a_port_is_free_when_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert not sockets.is_free(port)
        assert sockets.reaches("127.0.0.1", port)
    assert sockets.is_free(port)
    assert not sockets.reaches("127.0.0.1", port)


def test_a_server_nobody_trusts_is_told_with_the_reason(server):
    said = distrust("127.0.0.1", server.server_port, roots=None, authorities="")
    assert said.startswith(
        "the certificate of 127.0.0.1 is not trusted: unable to get local issuer"
    )


def test_a_server_of_a_given_authority_is_trusted_whatever_it_answers(start):
    authority = trustme.CA()
    trusted = start(Server(tls(authority)))
    pem = authority.cert_pem.bytes().decode("ascii")
    for host in ("127.0.0.1", "localhost"):
        assert distrust(host, trusted.server_port, roots=None, authorities=pem) == ""


def test_of_a_server_that_is_away_or_speaks_no_tls_nothing_is_told(start):
    plain = start(Server(None))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        away = listener.getsockname()[1]
    for port in (plain.server_port, away):
        assert distrust("127.0.0.1", port, roots=None, authorities="") == ""


def test_a_machine_knows_its_own_addresses():
    assert sockets.has_address("127.0.0.1")
    assert not sockets.has_address("192.0.2.77")
    assert not sockets.has_address("not an address")


def test_the_address_of_the_default_route_is_one_of_its_own_or_there_is_none():
    found = sockets.routed_address()
    assert found == "" or sockets.has_address(found)
