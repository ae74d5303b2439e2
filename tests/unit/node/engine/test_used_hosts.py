"""Hosts on which everything was there before, a little differently: undo gives back just that."""

import random
from dataclasses import replace

import pytest

from transom.errors import PermanentError, TemporaryError
from transom.model.journal import SINGLE_HOST, Intent, Owner
from transom.model.request import Verb
from transom.node.engine.changes import ACTS
from transom.node.engine.journal import Contents, Journal
from transom.node.engine.leftovers import leftovers, take
from transom.node.engine.runner import Ending, Runner
from transom.node.host.values import PathKind, RegistryData
from transom.node.layout import Layout
from transom.node.steps import STEPS
from transom.testing.faults import Fault, PowerCut

LAYOUT = Layout()
HNS = r"SYSTEM\CurrentControlSet\Services\hns\State"
CNI = r"C:\etc\cni\net.d"
THEIRS = "O:BAG:SYD:PAI(A;;FA;;;BA)"
KUBELET_CONF = r"C:\etc\kubernetes\kubelet.conf"


def run(host, request, *, name="r1"):
    return Runner(host, LAYOUT, name, STEPS).execute(request)


def joined_and_reset(host, request_for):
    first = host.snapshot()
    assert run(host, request_for(Verb.JOIN)).ending is Ending.DONE
    run(host, request_for(Verb.RESET, remove_features=True), name="r2")
    return first


def test_a_value_that_is_new_in_a_key_that_was_there_goes_and_the_key_stays(make_host, request_for):
    host = make_host()
    host.registry.make_key(HNS)
    host.registry.put(HNS, "Neighbour", RegistryData("dword", 3))
    host.flush()
    first = joined_and_reset(host, request_for)
    assert host.snapshot() == first
    assert host.registry.get(HNS, "EnableCompartmentNamespace") is None
    assert host.registry.get(HNS, "Neighbour") == RegistryData("dword", 3)


def test_a_variable_that_the_host_had_gets_its_value_back(make_host, request_for):
    host = make_host()
    host.environment.put("CRI_CONFIG", "theirs")
    host.flush()
    first = joined_and_reset(host, request_for)
    assert host.environment.get("CRI_CONFIG") == "theirs"
    assert host.snapshot() == first


def test_a_file_with_the_right_bytes_and_another_access_gets_its_access_back(
    make_host, request_for
):
    host = make_host()
    host.files.make_directory(CNI)
    host.files.write(CNI + r"\10-flannel.conf", b"{}", acl=THEIRS)
    host.flush()
    first = joined_and_reset(host, request_for)
    assert host.files.acl(CNI + r"\10-flannel.conf") == THEIRS
    assert host.snapshot() == first


def test_a_kept_file_of_which_only_the_access_changed_gets_that_back(make_host):
    """An outside program was about to change it and changed its access alone."""
    host = make_host()
    path = r"C:\k\theirs.conf"
    host.files.write(path, b"theirs", acl=THEIRS)
    host.files.write(r"C:\k\saved", b"theirs")
    host.files.set_acl(path, "O:BAG:SYD:PAI(A;;FA;;;WD)")
    ACTS["file"].restore(host, path, {"saved": r"C:\k\saved", "acl": THEIRS})
    assert (host.files.read(path), host.files.acl(path)) == (b"theirs", THEIRS)


def test_a_route_that_the_host_had_by_another_gateway_leads_there_again(
    make_host, request_for, recipe
):
    host = make_host()
    route = next(item for item in recipe.routes if not item.keep)
    host.network.put_route(route.prefix, "10.0.0.254")
    host.flush()
    first = joined_and_reset(host, request_for)
    assert host.network.persistent_route(route.prefix) == "10.0.0.254"
    assert host.snapshot() == first


def test_a_pod_network_that_was_there_before_the_join_stays_after_the_reset(
    make_host, request_for, recipe
):
    host = make_host()
    host.settings.put("hns", recipe.network.name, True)
    host.flush()
    first = joined_and_reset(host, request_for)
    assert host.network.hns_network(recipe.network.name)
    assert host.snapshot() == first


def test_a_reset_names_every_step_it_undid_and_leaves_neither_recipe_nor_journal(
    make_host, request_for
):
    host = make_host()
    changed = run(host, request_for(Verb.JOIN)).changed
    assert host.files.kind(LAYOUT.recipe) is PathKind.FILE
    undone = run(host, request_for(Verb.RESET, remove_features=True), name="r2").changed
    assert set(changed) <= set(undone)
    order = [step.id for step in STEPS]
    assert list(undone) == sorted(undone, key=order.index, reverse=True)
    for path in (LAYOUT.recipe, LAYOUT.journal, LAYOUT.saved):
        assert host.files.kind(path) is PathKind.ABSENT, path


def cut_off(host, request, at):
    """Run until the power goes at that call; start again."""
    host.calls.inject(Fault.CUT_AFTER, at=at)
    with pytest.raises(PowerCut):
        run(host, request, name="cut")
    host.power_cycle(random.Random(at))
    host.calls.clear()


@pytest.mark.parametrize("verb", [Verb.RESET, Verb.JOIN, Verb.PREPARE, Verb.UNDO])
def test_another_owner_undoes_nothing_of_a_run_that_was_cut_off(make_host, request_for, verb):
    host = make_host()
    cut_off(host, request_for(Verb.JOIN), at=300)
    other = Owner(cluster="sha256:cd", fleet="other", who="cli")
    before = host.snapshot()
    with pytest.raises(PermanentError, match="belongs to fleet 'shop'"):
        run(host, request_for(verb, owner=other))
    assert host.snapshot() == before


def test_a_host_that_was_taken_over_is_the_new_fleets_from_then_on(make_host, request_for, owner):
    host = make_host()
    alone = Owner(cluster="", fleet=SINGLE_HOST, who="cli")
    run(host, request_for(Verb.PREPARE, owner=alone))
    run(host, request_for(Verb.JOIN), name="r2")
    contents = Journal.look(host.disk, LAYOUT.journal)
    assert contents is not None
    assert contents.owner == replace(contents.owner, fleet=owner.fleet, cluster=owner.cluster)
    with pytest.raises(PermanentError, match="belongs to fleet 'shop'"):
        run(host, request_for(Verb.RESET, owner=alone), name="r3")


def test_what_is_left_of_a_node_without_kubeadm_is_a_kubelet_that_stands_and_no_credential(
    make_host, request_for, recipe
):
    host = make_host()
    run(host, request_for(Verb.JOIN))
    for path in (LAYOUT.journal, r"C:\k\kubeadm.exe"):
        host.files.remove(path)
    (node,) = (item for item in leftovers(host, recipe) if item.kind == "node")
    take(host, recipe, node)
    assert not host.services.running("kubelet")
    assert host.files.kind(KUBELET_CONF) is PathKind.ABSENT
    assert [item.kind for item in leftovers(host, recipe) if item.kind == "node"] == []


def test_a_node_rests_until_a_later_run_is_about_to_change_one_of_its_files(owner):
    joined = Intent(step="join", act="kubeadm-join", subject="win-01", before=None)
    other = Intent(step="files", act="file", subject=r"C:\etc\other", before=None)
    own = Intent(step="files", act="file", subject=KUBELET_CONF.upper(), before=None)
    for later, rests in (((), True), ((other,), True), ((own,), False), ((joined,), False)):
        contents = Contents(owner, (joined, *later), settled=1)
        assert contents.rests([KUBELET_CONF]) is rests, later
    assert not Contents(owner, (joined,), settled=0).rests([KUBELET_CONF])
    assert not Contents(owner, (other,), settled=1).rests([KUBELET_CONF])  # no node yet


def test_a_take_over_is_on_the_disk_before_anything_is_changed(make_host, owner):
    disk = make_host().disk
    disk.make_directory(LAYOUT.state)
    alone = replace(owner, fleet=SINGLE_HOST)
    Journal.create(disk, LAYOUT.journal, alone).claim(owner)
    found = Journal.look(disk, LAYOUT.journal)
    assert found is not None
    assert found.owner == owner


def test_a_request_that_names_no_cluster_leaves_the_host_to_the_one_it_joined(make_host, owner):
    """As a preparation without a kubeconfig does."""
    disk = make_host().disk
    disk.make_directory(LAYOUT.state)
    journal = Journal.create(disk, LAYOUT.journal, owner)
    journal.claim(replace(owner, cluster=""))
    assert journal.contents.owner == owner


@pytest.mark.parametrize("at", range(20, 160, 20))
def test_a_power_cut_in_a_second_join_leaves_the_node_of_the_first(
    make_host, request_for, recipe, at
):
    """What the second run began is undone; the first one's join is settled and stays."""
    host = make_host()
    run(host, request_for(Verb.JOIN))
    kept = host.files.read(KUBELET_CONF)
    added = replace(recipe.files[0], path=r"C:\etc\cni\added")
    other = request_for(Verb.JOIN, recipe=replace(recipe, files=(*recipe.files, added)))
    cut_off(host, other, at)
    assert run(host, other, name="r3").ending is Ending.DONE
    assert host.files.read(KUBELET_CONF) == kept
    assert host.services.running("kubelet")
    first = make_host().snapshot()
    run(host, request_for(Verb.RESET, remove_features=True), name="r4")
    assert host.snapshot() == first


def test_no_try_begins_after_the_deadline(make_host, request_for):
    """A step that asks for a minute's patience is not slept for where only half of one is left."""
    host = make_host()
    real = host.source.open

    def failing(url, **more):
        del url, more
        raise TemporaryError("busy", delay_s=60)

    host.source.open = failing
    began = host.clock.monotonic()
    with pytest.raises(TemporaryError, match="busy"):
        run(host, request_for(Verb.PREPARE, deadline_s=90))
    assert host.clock.monotonic() - began < 90
    host.source.open = real
