"""`join --kubeconfig`: the manual way, without kubeadm, from a credential somebody made."""

import io
import json
import random
import re

import pytest
from tests.support.node import FLAGS_FILE, KUBERNETES
from tests.support.node_kubernetes_manual_join import KEY, KUBECONFIG, coded

from transom.model.codec import encode
from transom.model.request import Verb
from transom.node.host.values import PathKind
from transom.node.kubernetes.kubelet_flags import flags_file, parse_flags_file
from transom.node.layout import Layout
from transom.node.verbs.program import main
from transom.testing.faults import Fault, PowerCut

CLIENT = r"C:\var\lib\kubelet\pki\kubelet-client-current.pem"
GIVEN = r"C:\Users\admin\node.conf"


@pytest.fixture
def host(make_host):
    made = make_host()
    made.files.make_directory(r"C:\Users\admin")
    made.files.write(GIVEN, KUBECONFIG.encode())
    made.flush()
    del made.programs["kubeadm.exe"]
    return made


@pytest.fixture
def call(host, request_for):
    def run(verb, name, *options, **changes):
        out = io.StringIO()
        changes.setdefault("join", None)
        text = json.dumps(encode(request_for(verb, remove_features=True, **changes)))
        argv = (verb.value, "--foreground", "--run", name, *options)
        code = main(argv, machine=host, stdin=io.StringIO(text), stdout=out)
        return code, out.getvalue()

    return run


def test_a_host_joins_without_kubeadm_and_is_reset(host, call):
    first = host.snapshot()
    code, said = call(Verb.JOIN, "r1", "--kubeconfig", GIVEN)
    assert code == 0, said
    assert host.services.running("kubelet")
    flags = parse_flags_file(host.files.read(FLAGS_FILE).decode())
    assert {"--cri=pipe", "--register-with-taints=os=windows:NoSchedule"} <= set(flags)
    assert host.files.read(CLIENT).decode() == f"CERT\n{KEY}\n"
    pair = host.disk._entry(CLIENT).data.decode()
    assert re.fullmatch(r"C:\\var\\lib\\kubelet\\pki\\kubelet-client-[\d-]{19}\.pem", pair)
    assert host.files.acl(pair) == "D:P(A;;FA;;;SY)(A;;FA;;;BA)"
    assert (
        CLIENT
        in json.loads(host.files.read(KUBERNETES + r"\kubelet.conf"))["users"][0]["user"].values()
    )
    assert json.loads(host.files.read(r"C:\var\lib\kubelet\config.yaml"))["maxPods"] == 9
    host.files.write(r"C:\var\lib\kubelet\cpu_manager_state", b"by the kubelet")
    host.settings.put("hns", "flannel.4096", True)
    assert call(Verb.RESET, "r2")[0] == 0
    assert host.snapshot() == first


def test_a_second_join_changes_nothing(call):
    call(Verb.JOIN, "r1", "--kubeconfig", GIVEN)
    code, said = call(Verb.JOIN, "r2", "--kubeconfig", GIVEN)
    assert code == 0
    assert json.loads(said.splitlines()[-1])["changed"] == []


def test_the_key_is_in_no_event_journal_or_copy(host, call):
    _, said = call(Verb.JOIN, "r1", "--kubeconfig", GIVEN)
    kept = [e.path for e in host.disk._seen.values() if KEY.encode() in e.data]
    assert kept == [host.disk._entry(CLIENT).data.decode()]
    encoded = [e.path for e in host.disk._seen.values() if coded(KEY + "\n").encode() in e.data]
    assert encoded == [GIVEN]
    assert KEY not in said
    assert coded(KEY + "\n") not in said


def test_a_kubeconfig_that_is_none_changes_nothing(host, call):
    host.files.write(GIVEN, b"hello")
    host.flush()
    first = host.snapshot()
    code, said = call(Verb.JOIN, "r1", "--kubeconfig", GIVEN)
    assert code == 2
    assert "cannot use the kubeconfig" in said
    assert host.snapshot() == first


@pytest.mark.parametrize("seed", range(15))
def test_a_power_cut_in_a_manual_join_is_recovered_by_the_next(host, call, seed):
    first = host.snapshot()
    chance = random.Random(seed)
    for attempt in range(3):
        host.calls.inject(Fault.CUT_AFTER, at=chance.randrange(1, 900))
        try:
            call(Verb.JOIN, f"cut{attempt}", "--kubeconfig", GIVEN)
        except PowerCut:
            host.power_cycle(chance)
        host.calls.clear()
    assert call(Verb.JOIN, "r1", "--kubeconfig", GIVEN)[0] == 0
    assert host.services.running("kubelet")
    assert call(Verb.RESET, "r2")[0] == 0
    assert host.snapshot() == first
    assert host.files.kind(Layout().journal) is PathKind.ABSENT


def test_arguments_survive_the_flags_file():
    arguments = ("--a=b", r"--path=C:\x", "--labels=a=1,b=2")
    assert parse_flags_file(flags_file(arguments)) == arguments
