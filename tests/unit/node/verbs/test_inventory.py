"""The inventory: what a host is and has, told even where Windows does not answer everything."""

from tests.support.node_kubernetes_manual_join import KUBECONFIG

from transom.errors import PermanentError
from transom.model.request import Verb
from transom.node.engine.runner import Runner
from transom.node.layout import Layout
from transom.node.verbs.inventory import inventory

LAYOUT = Layout()


def refuse(*_arguments):
    raise PermanentError("this Windows does not tell")


def test_a_bare_machine(make_host):
    host = make_host()
    host.system.member_of = "corp.example"
    found = inventory(host, LAYOUT, features=True)
    assert (found.name, found.edition, found.domain) == (
        "win-01", "ServerDatacenter", "corp.example",
    )  # fmt: skip
    assert (found.windows.build, found.windows.revision) == (20348, 2700)
    assert [(item.root, item.free_bytes) for item in found.volumes] == [("C:\\", 100 << 30)]
    assert found.features == {"Containers": "disabled", "Microsoft-Hyper-V": "absent"}
    assert (found.joined_to, found.installed, found.runtimes) == ("", {}, ())


def test_a_node_says_where_it_joined_what_it_runs_and_what_was_installed(make_host, request_for):
    host = make_host()
    Runner(host, LAYOUT, "r").execute(request_for(Verb.JOIN))
    path = r"C:\etc\kubernetes\kubelet.conf"
    host.files.write(path, KUBECONFIG.encode())
    host.vitals.named_pipes = ("InitShutdown", "containerd-containerd")
    found = inventory(host, LAYOUT)
    assert found.joined_to == "10.0.0.1:6443"
    assert found.runtimes == ("containerd",)
    assert found.pipes == ("containerd-containerd",)
    assert found.installed["kubelet"] == "1.0.0"
    assert found.features == {}
    host.files.write(path, b"nonsense")
    assert inventory(host, LAYOUT).joined_to == ""


def test_what_windows_does_not_tell_is_left_empty(make_host):
    host = make_host()
    host.system.domain = refuse
    host.vitals.pipes = refuse
    host.features.state = refuse
    found = inventory(host, LAYOUT, features=True)
    assert (found.domain, found.pipes, set(found.features.values())) == ("", (), {""})
