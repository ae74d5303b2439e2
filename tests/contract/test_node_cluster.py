"""The API server as a node asks it: what it answers, and which of its failures pass by themselves."""

import base64
import json

import pytest
import trustme
from tests.contract.web import Server, status

from transom.errors import PermanentError, TemporaryError
from transom.node.host.cluster import NodeCluster
from transom.node.host.values import NodeHealth
from transom.testing.simulated_host import SimulatedHost

CONFIG = r"C:\kubelet.conf"
PATH = "/api/v1/nodes/win-01"


@pytest.fixture
def cluster(server, authority):
    """The cluster behind a server, and that server."""
    url = server.serve("/", status(404)).rstrip("/")
    return asking(url, authority.cert_pem.bytes()), server


def asking(url, authority):
    """A node's view of the API server there."""
    pem = base64.b64encode(authority).decode()
    kubeconfig = {
        "clusters": [
            {"name": "c", "cluster": {"server": url, "certificate-authority-data": pem}},
        ],
        "users": [{"name": "u", "user": {"token": "t0ken"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    host = SimulatedHost()
    host.files.write(CONFIG, json.dumps(kubeconfig).encode())
    return NodeCluster(host.files)


def test_a_ready_node_is_told_with_its_version(cluster):
    asked, server = cluster
    ready = {"type": "Ready", "status": "True", "message": "posting"}
    info = {"kubeletVersion": "v1.37.1"}
    node = {"status": {"conditions": [ready], "nodeInfo": info}}
    server.serve(PATH, lambda exchange: exchange.answer(200, json.dumps(node).encode()))
    assert asked.health(CONFIG, "win-01") == NodeHealth(
        ready=True, kubelet="1.37.1", problem="posting"
    )


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504])
def test_a_server_that_is_overloaded_or_restarting_is_asked_again(cluster, code):
    asked, server = cluster
    server.serve(PATH, status(code))
    with pytest.raises(TemporaryError, match=str(code)):
        asked.health(CONFIG, "win-01")


def test_an_answer_that_is_no_http_is_temporary(cluster):
    asked, server = cluster

    def nonsense(exchange):
        exchange.wfile.write(b"nonsense\r\n\r\n")
        exchange.close_connection = True

    server.serve(PATH, nonsense)
    with pytest.raises(TemporaryError, match="cannot ask the API server"):
        asked.health(CONFIG, "win-01")


@pytest.mark.usefixtures("strict_python")
def test_a_cluster_whose_authority_has_no_key_identifier_is_asked(start, bare):
    authority, context = bare
    server = start(Server(context))
    server.serve(PATH, status(404))
    assert asking(server.url, authority.encode()).health(CONFIG, "win-01") is None


def test_a_server_of_another_authority_is_final_and_told_so(server):
    stranger = asking(server.url, trustme.CA().cert_pem.bytes())
    with pytest.raises(PermanentError, match="is not trusted: unable to get local issuer"):
        stranger.health(CONFIG, "win-01")


@pytest.mark.parametrize("code", [401, 403])
def test_a_credential_that_is_refused_stays_so(cluster, code):
    asked, server = cluster
    server.serve(PATH, status(code))
    with pytest.raises(PermanentError, match=str(code)):
        asked.health(CONFIG, "win-01")


def test_a_node_that_is_not_there_is_none(cluster):
    asked, server = cluster
    server.serve(PATH, status(404))
    assert asked.health(CONFIG, "win-01") is None
