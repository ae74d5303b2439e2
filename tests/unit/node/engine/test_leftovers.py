"""A reset with force: what it would take is said with a reason, and nothing else is taken."""

import json
import random

import pytest
from tests.support.node import KUBELET, KUBERNETES

from transom.model.request import Verb
from transom.node.engine.leftovers import leftovers
from transom.node.engine.runner import Runner
from transom.node.engine.step import NodeSpec
from transom.node.host.values import FirewallPort, PathKind, ServiceDefinition
from transom.node.layout import Layout
from transom.node.steps import STEPS
from transom.node.verbs.program import main
from transom.testing.faults import Fault, PowerCut

LAYOUT = Layout()


@pytest.fixture
def by_hand(make_host, recipe, secrets):
    """A node that somebody else made, on a machine with other people's things on it."""
    host = make_host()
    for step in STEPS:
        step.apply(host, step.check(host, NodeSpec(recipe=recipe, join=secrets)))
    host.services.stop("kubelet")
    wrapped = ServiceDefinition(command=r"C:\nssm\nssm.exe", display_name="k", start="auto")
    host.files.make_directory(r"C:\nssm")
    host.files.write(r"C:\nssm\nssm.exe", b"nssm")
    host.services.put("kubelet", wrapped)
    host.services.start("kubelet")
    host.settings.put("hns", "theirs", True)
    host.firewall.put("VXLAN", FirewallPort(protocol="udp", port="4444"))
    host.files.write(r"C:\k\notes.txt", b"mine")
    host.flush()
    host.calls.clear()
    return host


def forced(host, request_for, name="reset", **changes):
    return Runner(host, LAYOUT, name).execute(request_for(Verb.RESET, force=True, **changes))


def test_everything_is_listed_with_a_reason_and_nothing_is_written(by_hand, recipe):
    found = leftovers(by_hand, recipe)
    assert by_hand.calls.writes == []
    assert all(item.why for item in found)
    subjects = {(item.kind, item.subject) for item in found}
    assert {
        ("node", "win-01"),
        ("service", "kubelet"),
        ("service", "containerd"),
        ("hns-network", "flannel.4096"),
        ("firewall-rule", "kubelet"),
        ("list-entry", r"Path=C:\k"),
        ("file", r"C:\k\kubelet.exe"),
        ("directory", KUBERNETES),
        ("directory", KUBELET),
    } <= subjects


def test_what_only_looks_alike_is_neither_listed_nor_taken(by_hand, recipe, request_for):
    subjects = {item.subject for item in leftovers(by_hand, recipe)}
    assert subjects.isdisjoint({"VXLAN", "theirs", "spooler", r"Path=C:\Windows"})
    forced(by_hand, request_for)
    assert by_hand.firewall.get("VXLAN") is not None
    assert by_hand.network.hns_network("theirs")
    assert by_hand.services.running("spooler")
    assert by_hand.files.kind(r"C:\k\notes.txt") is PathKind.FILE
    assert by_hand.environment.get("Path") == r"C:\Windows\;C:\Tools"


def test_a_runtime_from_elsewhere_is_somebody_elses(by_hand, recipe):
    other = ServiceDefinition(command=r"D:\other\containerd.exe", display_name="c", start="auto")
    by_hand.services.put("containerd", other)
    assert "containerd" not in {item.subject for item in leftovers(by_hand, recipe)}


def test_nothing_is_left_and_a_second_time_finds_nothing(by_hand, recipe, request_for):
    taken = forced(by_hand, request_for).changed
    assert taken[:3] == ("node", "service", "service")
    assert leftovers(by_hand, recipe) == ()
    assert (
        by_hand.files.kind(r"C:\opt\cni\bin") is PathKind.DIRECTORY
    )  # the recipe does not name it
    assert by_hand.files.kind(r"C:\var\log\kubelet") is PathKind.ABSENT
    assert ("reset", "--force") in {argv[1:3] for argv in by_hand.processes.ran}
    assert forced(by_hand, request_for, name="again").changed == ()


def test_a_host_without_kubeadm_is_reset_too(by_hand, recipe, request_for):
    by_hand.files.remove(r"C:\k\kubeadm.exe")
    forced(by_hand, request_for)
    assert leftovers(by_hand, recipe) == ()
    assert by_hand.processes.ran[-1][1] == "join"


def test_without_force_a_host_without_a_journal_is_left_alone(by_hand, request_for):
    before = by_hand.snapshot()
    Runner(by_hand, LAYOUT, "reset").execute(request_for(Verb.RESET))
    assert by_hand.snapshot() == before


@pytest.mark.parametrize("seed", range(10))
def test_a_power_cut_in_between_is_gone_on_from(by_hand, recipe, request_for, seed):
    chance = random.Random(seed)
    by_hand.calls.inject(Fault.CUT_AFTER, at=chance.randrange(1, 200))
    try:
        forced(by_hand, request_for)
    except PowerCut:
        by_hand.power_cycle(chance)
    by_hand.calls.clear()
    forced(by_hand, request_for, name="again")
    assert leftovers(by_hand, recipe) == ()


def test_the_program_says_what_it_would_take(by_hand, request_for):
    import io

    from transom.model.codec import encode

    out = io.StringIO()
    text = json.dumps(encode(request_for(Verb.PLAN)))
    assert main(["leftovers"], machine=by_hand, stdin=io.StringIO(text), stdout=out) == 0
    document = json.loads(out.getvalue())
    assert document["kind"] == "Leftovers"
    assert document["items"][0]["kind"] == "node"
