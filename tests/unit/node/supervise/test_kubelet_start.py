"""The kubelet gets what kubeadm wrote for it at each start, and the node's own address."""

import io
import json

import pytest

from transom.model.request import Verb
from transom.node.engine.runner import Ending, Runner
from transom.node.host.quoting import split_arguments
from transom.node.host.values import Adapter
from transom.node.layout import Layout
from transom.node.steps import STEPS
from transom.node.supervise import kubelet
from transom.testing.simulated_starting import SimulatedStarter

FLAGS = r"C:\k\flags.env"


def started(host, starter=None):
    """The words kubelet.exe gets when the service manager starts the service now."""
    starter = starter or SimulatedStarter(host)
    words = split_arguments(host.services.get("kubelet").command)
    assert kubelet.main(words[words.index("kubelet") + 1 :], host=starter, log=io.StringIO()) == 0
    return starter.started[-1]


def prepared(make_host, request_for, **changes):
    host = make_host()
    request = request_for(Verb.PREPARE, **changes)
    assert Runner(host, Layout(), "r1", STEPS).execute(request).ending is Ending.DONE
    return host


def test_a_host_that_plain_kubeadm_joins_gives_its_kubelet_kubeadms_flags(make_host, request_for):
    """As after Prepare-Node.ps1, and in Cluster API: nobody runs Transom after kubeadm."""
    host = prepared(make_host, request_for)
    document = {
        "discovery": {"bootstrapToken": {"token": "abcdef.0123456789abcdef"}},
        "nodeRegistration": {
            "kubeletExtraArgs": [{"name": "provider-id", "value": "azure:///subscriptions/1"}],
            "taints": [],
        },
    }
    host.files.write(r"C:\join.json", json.dumps(document).encode())
    host.processes.run([r"C:\k\kubeadm.exe", "join", "--config", r"C:\join.json"], timeout_s=1)
    assert host.services.running("kubelet")
    assert "--provider-id=azure:///subscriptions/1" in started(host)


def words_of(host, *options, command=("kubelet.exe", "--v=2"), code=0):
    """What the kubelet gets by those options, and what was said on the way."""
    starter, log = SimulatedStarter(host), io.StringIO()
    assert kubelet.main((*options, *command), host=starter, log=log) == code
    return (starter.started or [()])[-1], log.getvalue()


@pytest.fixture
def host(make_host):
    return make_host()


@pytest.mark.parametrize(
    "content",
    [
        b'KUBELET_KUBEADM_ARGS="--v=9"\n',
        b'\xef\xbb\xbfKUBELET_KUBEADM_ARGS="--v=9"\r\n',
        b"\xff\xfe" + 'KUBELET_KUBEADM_ARGS="--v=9"\r\n'.encode("utf-16-le"),
        b"\xfe\xff" + 'KUBELET_KUBEADM_ARGS="--v=9"\r\n'.encode("utf-16-be"),
    ],
    ids=["kubeadm's", "with a mark", "of Windows PowerShell", "big-endian"],
)
def test_the_file_is_read_however_windows_wrote_it(host, content):
    host.files.write(FLAGS, content)
    words, _ = words_of(host, f"--flags-file={FLAGS}")
    assert words[:2] == ("kubelet.exe", "--v=9")


def test_before_the_join_the_kubelet_gets_its_own_words_only(host):
    words, _ = words_of(host, f"--flags-file={FLAGS}")
    assert words == ("kubelet.exe", "--v=2", "--node-ip=10.0.0.21")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"x" * 70_000, "more than 65536 bytes"),
        (b"\xff\xfa\x80", "not utf-8 text"),
        (b"a\0b", "a zero byte"),
        (b'KUBELET_KUBEADM_ARGS="--a=\'x"', "not closed"),
    ],
)
def test_a_file_that_is_not_kubeadms_starts_nothing_and_says_why(host, content, why):
    host.files.write(FLAGS, content)
    words, said = words_of(host, f"--flags-file={FLAGS}", code=5)
    assert (words, why in said) == ((), True), said


def test_flags_that_this_kubelet_has_lost_are_left_out(host):
    """As kubeadm up to 1.34 wrote them, and no kubeadm from 1.36 on takes them away."""
    text = 'KUBELET_KUBEADM_ARGS="--pod-infra-container-image=pause:3.9 --v=4"'
    host.files.write(FLAGS, text.encode())
    options = (f"--flags-file={FLAGS}", "--without=container-runtime,pod-infra-container-image")
    words, said = words_of(host, *options)
    assert words == ("kubelet.exe", "--v=4", "--node-ip=10.0.0.21")
    assert "--pod-infra-container-image=pause:3.9" in said


def test_the_kubelets_end_is_the_services_end(host):
    starter = SimulatedStarter(host, code=7)
    assert kubelet.main(("kubelet.exe",), host=starter, log=io.StringIO()) == 7


@pytest.mark.parametrize("words", [(), ("--flags-file=x",), ("--other=x", "kubelet.exe")])
def test_a_command_line_of_another_version_is_refused(host, words):
    assert kubelet.main(words, host=SimulatedStarter(host), log=io.StringIO()) == 2


def adapters(host, *, routed="Ethernet"):
    """A host in an l2bridge network: flannel's own endpoint is an adapter of the host and comes first."""
    host.network.up = (
        Adapter(name="vEthernet (cbr0_ep)", addresses=("10.244.3.2",), dhcp=False),
        Adapter(name="Storage", addresses=("192.168.7.4",), dhcp=False),
        Adapter(name="Ethernet", addresses=("10.0.0.21",), dhcp=True),
    )
    host.network.routed = routed


@pytest.mark.parametrize(
    ("address", "node_ip"),
    [
        ("", "10.0.0.21"),
        ("192.168.7.4", "192.168.7.4"),
        ("203.0.113.5", "10.0.0.21"),
        ("win-01.corp.example", "10.0.0.21"),
        ("127.0.0.1", "10.0.0.21"),
        ("fd00::21", "10.0.0.21"),
    ],
    ids=["no fleet", "the fleet's", "behind NAT", "a name", "loopback", "IPv6"],
)
def test_a_node_has_the_fleets_address_or_that_of_the_default_route(host, address, node_ip):
    adapters(host)
    words, _ = words_of(host, f"--address={address}")
    assert words == ("kubelet.exe", "--v=2", f"--node-ip={node_ip}")


def test_the_route_of_a_host_that_is_just_booting_is_waited_for(host):
    adapters(host)
    host.network.gateway = ""
    sleep = host.clock.sleep

    def route_comes(seconds):
        sleep(seconds)
        host.network.gateway = "10.0.0.1"

    host.clock.sleep = route_comes
    assert words_of(host)[0][-1] == "--node-ip=10.0.0.21"


def test_a_host_without_a_route_starts_its_kubelet_in_time_all_the_same(host):
    adapters(host)
    host.network.gateway = ""
    began = host.clock.monotonic()
    words, said = words_of(host)
    assert words == ("kubelet.exe", "--v=2")
    assert "no default route" in said
    assert host.clock.monotonic() - began < 15


@pytest.mark.parametrize(
    ("command", "flags"),
    [
        (("kubelet.exe", "--node-ip=10.9.9.9"), ""),
        (("kubelet.exe",), "--node-ip=10.9.9.9,fd00::9"),
        (("kubelet.exe",), "--cloud-provider=external"),
    ],
    ids=["the recipe's", "kubeadm's, of both families", "a cloud's controller gives it"],
)
def test_an_address_that_somebody_else_gives_stays(host, command, flags):
    adapters(host)
    host.files.write(FLAGS, f'KUBELET_KUBEADM_ARGS="{flags}"'.encode())
    words, _ = words_of(host, f"--flags-file={FLAGS}", command=command)
    assert words == (*command, *filter(None, [flags]))
