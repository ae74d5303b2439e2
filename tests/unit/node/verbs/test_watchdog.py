"""After a join somebody stays who sees the pod network come and takes the join back if it cuts."""

import io
import json

import pytest

from transom.model.request import Verb
from transom.node.host.values import PathKind
from transom.node.layout import Layout
from transom.node.verbs.program import main

LAYOUT = Layout()
NETWORK, SERVER, GATEWAY = "flannel.4096", "10.0.0.1:6443", "10.0.0.1"
KUBECONFIG = r"C:\etc\kubernetes\kubelet.conf"


def call(host, *argv, text=""):
    return main(argv, machine=host, stdin=io.StringIO(text), stdout=io.StringIO())


@pytest.fixture
def joined(make_host, request_for, kubeadm):
    """A joined host whose pod network is yet to come, and what the watch was handed."""
    from transom.model.codec import encode

    host = make_host()
    host.programs["kubeadm.exe"] = kubeadm("another network")
    request = json.dumps(encode(request_for(Verb.JOIN)))
    assert call(host, "join", "--foreground", "--run", "r1", text=request) == 0
    return host, host.background.left


def make_network_after(host, seconds, *, cut):
    """Let a pod make the network some time from now."""
    sleep, until = host.clock.sleep, host.clock.time + seconds

    def wait(length):
        sleep(length)
        if host.clock.time >= until and not host.network.hns_network(NETWORK):
            host.settings.put("hns", NETWORK, True)
            host.network.unreachable = {SERVER, GATEWAY} if cut else set()

    host.clock.sleep = wait


def resume(host, left):
    (argv, payload) = left[0]
    return call(host, *argv[2:], text=payload.decode())


def test_the_watch_is_handed_no_token(joined, secrets):
    _, left = joined
    assert len(left) == 1
    argv, payload = left[0]
    assert secrets.token not in " ".join(argv)
    assert secrets.token.encode() not in payload


def test_a_prepared_host_is_not_watched(make_host, request_for):
    from transom.model.codec import encode

    host = make_host()
    call(host, "prepare", "--foreground", text=json.dumps(encode(request_for(Verb.PREPARE))))
    assert host.background.left == []


def test_a_join_that_cuts_the_host_off_is_taken_back(joined):
    """The node is reset and the network gone; what was prepared before the join stays."""
    host, left = joined
    make_network_after(host, 100, cut=True)
    assert resume(host, left) == 0
    assert host.files.kind(KUBECONFIG) is PathKind.ABSENT
    assert not host.network.hns_network(NETWORK)
    assert host.services.get("containerd") is not None
    events = [json.loads(line) for line in host.disk.read(LAYOUT.events("r1-network")).splitlines()]
    assert events[-1]["state"] == "failed"
    assert f"after the network {NETWORK} was made" in events[-1]["message"]


def test_a_join_whose_network_leaves_the_host_reachable_stays(joined):
    host, left = joined
    make_network_after(host, 100, cut=False)
    resume(host, left)
    assert host.files.kind(KUBECONFIG) is PathKind.FILE
    assert host.files.kind(LAYOUT.events("r1-network")) is PathKind.ABSENT


def test_a_network_that_never_comes_is_not_waited_for_without_end(joined):
    host, left = joined
    before = host.clock.time
    resume(host, left)
    assert host.clock.time - before <= 1800


def test_the_watch_ends_with_the_join(joined, request_for):
    from transom.model.codec import encode

    host, left = joined
    call(host, "reset", "--foreground", text=json.dumps(encode(request_for(Verb.RESET))))
    before = host.clock.time
    resume(host, left)
    assert host.clock.time == before


def test_a_join_taken_back_meanwhile_is_left_alone(joined):
    """The network came, the host is cut off, and somebody has reset it in between."""
    host, left = joined
    host.settings.put("hns", NETWORK, True)
    host.network.unreachable = {SERVER, GATEWAY}
    host.files.remove(LAYOUT.journal)
    assert resume(host, left) == 0
    assert host.files.kind(KUBECONFIG) is PathKind.FILE
