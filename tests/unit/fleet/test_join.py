"""Joining one host: the real node program on a simulated host, a cluster in memory."""

import asyncio

import pytest

from transom.errors import (
    PermanentError,
    Refused,
    TemporaryError,
    UnsupportedError,
    UsageError,
)
from transom.fleet.work.cordon import cordon_of
from transom.kube.api import Pod
from transom.model.sight import CertificateRequestSight, RequestState
from transom.node.host.values import Adapter, Completed


@pytest.fixture
def join(world):
    return world.join


@pytest.fixture
def reset(world):
    return world.reset


def tree(world):
    """Every file of the host, the program's own included."""
    return world.host.disk.tree(without="nothing")


def test_a_bare_host_becomes_a_ready_node(join, world):
    joined = join()
    done = joined.applied
    assert (joined.node, done.ready, done.kubelet) == ("win-01", True, "1.37.1")
    assert "join" in done.changed
    assert ("join", "changed") in world.steps
    assert joined.recipe.target.windows_release == "2022"
    assert joined.recipe.identity.address == "10.0.0.21"


def test_the_token_is_of_this_join_alone_and_gone_afterwards(join, world):
    join()
    assert len(world.tokens) == 1
    assert world.api.secrets == {}


def test_the_token_is_gone_when_the_join_fails_too(join, world):
    world.host.programs["kubeadm.exe"] = lambda _, argv: Completed(
        code=int(argv[1] == "join"), output="no"
    )
    with pytest.raises(PermanentError):
        join()
    assert world.api.secrets == {}


def test_no_secret_is_in_a_command_or_on_the_host(join, world):
    join()
    secret = world.tokens[0].partition(".")[2]
    assert not any(secret in word for command in world.commands for word in command)
    assert secret not in repr(tree(world))


def test_the_node_program_is_always_started_by_the_same_command_without_arguments(join, world):
    join()
    programs = {command for command in world.commands if command[0].endswith("python.exe")}
    assert programs == {(r"C:\k\transom\python\python.exe", r"C:\k\transom\node.pyz")}
    assert {"inventory", "survey", "join"} <= set(world.orders)


def test_a_version_that_is_too_old_for_the_api_server_is_refused(join, world):
    with pytest.raises(Refused):
        join(kubernetes="1.20.0")
    assert not world.is_joined


def test_a_host_that_is_gone_for_good_is_not_waited_for_until_the_runs_deadline(join, world):
    world.cut_after = '"services"'
    connect, met = world.connect, list[int]()

    async def gone():
        if met and world.cut_after == "":
            raise TemporaryError("cannot reach it by SSH", delay_s=5)
        met.append(1)
        return await connect()

    world.connect = gone
    with pytest.raises(TemporaryError, match="cannot reach it by SSH"):
        join()
    assert world.time_s < 1200


def test_a_second_join_changes_nothing_and_mints_no_token(join, world):
    join()
    before = world.host.snapshot(), tree(world)
    again = join()
    assert again.applied.changed == ()
    assert (world.host.snapshot(), tree(world)) == before
    assert len(world.tokens) == 1


def test_a_session_that_is_cut_is_taken_up_again_and_nothing_is_shown_twice(join, world):
    world.cut_after = '"step": "directories"'
    join()
    assert world.sessions == 4  # met, looked at, worked on, and that once more
    assert len(world.steps) == len(set(world.steps))
    assert ("join", "changed") in world.steps


def test_a_run_that_never_began_is_begun_again(join, world):
    world.lost_starts = 2
    join()
    assert [order for order in world.orders if order in ("join", "attach")] == [
        *("join", "attach", "join", "attach", "join"),
    ]
    assert len(world.steps) == len(set(world.steps))


def test_a_host_on_which_no_run_ever_begins_is_given_up_and_the_token_deleted(join, world):
    world.lost_starts = 9
    with pytest.raises(TemporaryError, match="never began"):
        join()
    assert world.orders.count("join") == 3
    assert world.api.secrets == {}


def test_an_interruption_asks_the_host_to_stop_after_its_step_and_deletes_the_token(
    join, world, monkeypatch
):
    def interrupt(event):
        task = asyncio.current_task()
        if event.step == "directories" and task is not None:
            task.cancel()

    monkeypatch.setattr(world, "event", interrupt)
    with pytest.raises(asyncio.CancelledError):
        join()
    assert world.orders[-1] == "cancel"
    assert world.api.secrets == {}


def test_a_reboot_is_made_where_it_is_allowed_and_the_join_goes_on(join, world):
    world.host.features.need_reboot.add("Containers")
    joined = join(reboot=True)
    assert world.reboots == 1
    assert {"features", "join"} <= set(joined.applied.changed)


def test_a_reboot_that_is_not_allowed_is_asked_for(join, world):
    world.host.features.need_reboot.add("Containers")
    with pytest.raises(TemporaryError, match="needs a reboot") as caught:
        join()
    assert "--reboot" in caught.value.hint
    assert world.reboots == 0


def test_a_host_that_cannot_is_refused_with_every_reason_and_untouched(join, world):
    world.host.system.admin = False
    world.host.system.free = 1
    with pytest.raises(Refused) as caught:
        join()
    found = {refusal.id: refusal.fix for refusal in caught.value.refusals}
    assert {"not-elevated", "disk-space"} <= set(found)
    assert all(found.values())
    assert world.steps == []
    assert world.tokens == []


def test_a_missing_network_is_named_as_the_reason_for_not_ready(join, world):
    world.problem = "container runtime network not ready: cni plugin not initialized"
    with pytest.raises(TemporaryError, match="because its pod network is missing"):
        join()
    assert world.time_s < 400


def test_another_reason_for_not_ready_is_the_kubelets_own(join, world):
    world.problem = "PLEG is not healthy"
    with pytest.raises(TemporaryError, match="PLEG is not healthy"):
        join()


def test_a_release_nobody_knows_is_refused(join, world):
    world.host.system.windows = (12345, 1)
    with pytest.raises(UnsupportedError, match="build 12345"):
        join()


def test_a_host_with_several_addresses_must_be_told_which(join, world):
    world.host.network.up = (Adapter(name="e", addresses=("10.1.0.1", "10.2.0.1"), dhcp=False),)
    with pytest.raises(UsageError, match=r"10\.1\.0\.1, 10\.2\.0\.1"):
        join()
    assert join(node_ip="10.2.0.1").recipe.identity.address == "10.2.0.1"


def test_a_reset_leaves_the_host_as_it_was_and_deletes_the_node(join, reset, world):
    before = tree(world), world.host.snapshot()["settings"]
    join()
    done = reset()
    assert (done.was_there, done.node_deleted) == (True, True)
    assert "join" in done.undone
    assert world.api.held_nodes == {}
    files, settings = before
    assert tree(world) == files
    changed = {k for k, v in world.host.snapshot()["settings"].items() if settings.get(k) != v}
    assert changed == {"feature containers"}


def test_a_reset_of_a_host_without_transom_changes_nothing(reset, world):
    before = tree(world)
    done = reset()
    assert (done.was_there, done.node_deleted) == (False, False)
    assert tree(world) == before


def test_a_node_takes_no_new_pods_while_it_is_reset(join, reset, world):
    join()
    marked = []
    mark = world.api.set_unschedulable

    async def set_unschedulable(name, *, unschedulable, annotations=None):
        marked.append((name, unschedulable))
        await mark(name, unschedulable=unschedulable, annotations=annotations)

    world.api.set_unschedulable = set_unschedulable
    reset()
    assert marked == [("win-01", True)]


def test_a_host_with_its_own_kubeconfig_joins_without_kubeadm_and_token(join, world):
    from tests.support.node_kubernetes_manual_join import KEY, KUBECONFIG, coded

    del world.host.programs["kubeadm.exe"]
    joined = join(doors={"node_kubeconfig": KUBECONFIG})
    assert "join" in joined.applied.changed
    assert world.tokens == []
    assert world.api.secrets == {}
    words = " ".join(word for command in world.commands for word in command)
    assert coded(KEY + "\n") not in words


@pytest.fixture
def in_use(join, world):
    """A node in use with a pod on it, and something to change that pods would feel."""
    join(reboot=True)
    key = ("shop", "web-1")
    world.api.pods[key] = Pod(
        namespace="shop", name="web-1", node="win-01", controller="ReplicaSet"
    )
    world.host.features.disable("Containers")
    world.host.features.need_reboot.add("Containers")
    world.reboots = 0
    world.api.writes = []
    return world


def test_a_second_join_of_a_node_in_use_drains_it_before_it_reboots(in_use, join, monkeypatch):
    reboots, evict = [], in_use.api.evict

    async def watched(pod, *, grace_period_s=None):
        reboots.append(in_use.reboots)
        held = cordon_of(in_use.api.held_nodes["win-01"])
        assert held is not None
        assert held.verb == "join"
        return await evict(pod, grace_period_s=grace_period_s)

    monkeypatch.setattr(in_use.api, "evict", watched)
    joined = join(reboot=True)
    assert joined.applied.ready
    assert (reboots, in_use.reboots, in_use.api.pods) == ([0], 1, {})
    cordons = [write for write in in_use.api.writes if "cordon" in write]
    assert cordons == ["cordon win-01", "uncordon win-01"]


def test_a_second_join_does_nothing_to_a_node_whose_pods_cannot_leave(in_use, join):
    key = ("shop", "web-1")
    in_use.api.pods[key] = Pod(namespace="shop", name="web-1", node="win-01")
    before = in_use.host.snapshot()["settings"]
    with pytest.raises(PermanentError, match="has no controller that replaces it"):
        join(reboot=True)
    node = in_use.api.held_nodes["win-01"]
    assert (in_use.reboots, node.unschedulable) == (0, False)
    assert in_use.host.snapshot()["settings"] == before


def test_a_join_approves_the_serving_certificate_that_the_node_asks_for(join, world):
    from tests.simulation import config_maps

    world.api.config_maps = config_maps(kubelet={"serverTLSBootstrap": True})
    world.api.seen_requests = [
        CertificateRequestSight(
            name="csr-1",
            signer="kubernetes.io/kubelet-serving",
            username="system:node:win-01",
            subject="system:node:win-01",
            created=1,
            state=RequestState.PENDING,
            names=("win-01", "10.0.0.21"),
            usages=("digital signature", "server auth"),
        )
    ]
    join()
    assert [item.state for item in world.api.seen_requests] == [RequestState.APPROVED]


def test_a_join_leaves_no_session_open_also_where_it_fails(join, world):
    join()
    assert world.open_sessions == 0
    world.problem = "PLEG is not healthy"
    world.api.held_nodes.clear()
    with pytest.raises(TemporaryError):
        join()
    assert world.open_sessions == 0


def test_a_host_that_answers_oddly_fails_its_join_without_a_token(join, world):
    world.odd = lambda verb, line: b'{"kind": "Inventory"}\n' if verb == "inventory" else line
    with pytest.raises(PermanentError, match="the host's answer cannot be used"):
        join()
    assert (world.tokens, world.open_sessions) == ([], 0)


def test_a_label_that_the_join_gave_is_no_label_of_a_fleet(join, world):
    from transom.fleet.work.labels import FLEET

    join()
    assert FLEET not in world.api.held_nodes["win-01"].labels
