"""Applying a plan: bare hosts to Ready nodes, once; and whatever goes wrong stays with its host."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.simulation import WITHOUT_KUBECONFIG, Simulation, config_maps, fleet_text
from tests.support.fleet_apply import Watcher, _with_pods, apply, cordoned_by, outcomes
from tests.support.fleet_upload import Held, Rotten

from transom.errors import PermanentError, TemporaryError
from transom.fleet.apply import Applying, apply_plan
from transom.fleet.on_host.upload import UPLOADS
from transom.fleet.planning.plan import Standing
from transom.fleet.survey import survey_fleet
from transom.fleet.work.cordon import CORDON, Holder
from transom.fleet.work.labels import FLEET
from transom.fleet.work.outcome import Outcome
from transom.kube.api import Secret
from transom.model.recipe import PREPARED
from transom.model.request import SourceAccess, SourceHeader
from transom.model.sight import CertificateRequestSight, RequestState
from transom.node.host.values import Adapter, Completed, PathKind


def test_bare_hosts_become_ready_nodes_each_with_a_token_of_its_own(simulation):
    _, watcher = apply(simulation)
    assert outcomes(watcher) == {"win-01": Outcome.CHANGED, "win-02": Outcome.CHANGED}
    assert all(ended.ready for ended in watcher.ended.values())
    tokens = [machine.tokens for machine in simulation.machines.values()]
    assert [len(few) for few in tokens] == [1, 1]
    assert tokens[0] != tokens[1]
    assert simulation.api.secrets == {}


def test_the_plan_is_exactly_what_apply_does(simulation):
    planned, watcher = apply(simulation)
    for host in planned.hosts:
        said = tuple(step.step for step in host.steps)
        changed = watcher.ended[host.name].changed
        assert changed[: len(said)] == said
        later = changed[len(said) :]
        assert later
        assert later == tuple(step for step in host.afterwards if step in later)


def test_a_second_apply_is_one_connection_and_two_commands_and_writes_nothing(simulation):
    apply(simulation)
    before = {name: machine.tree() for name, machine in simulation.machines.items()}
    for machine in simulation.machines.values():
        machine.sessions, machine.commands = 0, []
    simulation.api.writes = []
    _, watcher = apply(simulation)
    assert outcomes(watcher) == {"win-01": Outcome.UNCHANGED, "win-02": Outcome.UNCHANGED}
    for machine in simulation.machines.values():
        assert machine.sessions == 1
        assert [words[0] for words in machine.commands] == [
            "powershell",
            r"C:\k\transom\python\python.exe",
        ]
    assert {name: machine.tree() for name, machine in simulation.machines.items()} == before
    assert simulation.api.writes == []


def test_nodes_without_the_mark_of_their_fleet_get_it_once_and_nothing_else_changes(simulation):
    apply(simulation)
    node = simulation.api.held_nodes["win-01"]
    simulation.api.held_nodes["win-01"] = replace(node, labels={"tier": "web", **PREPARED})
    before = {name: machine.tree() for name, machine in simulation.machines.items()}
    simulation.api.writes = []
    _, watcher = apply(simulation)
    marked = {"tier": "web", FLEET: "shop", **PREPARED}
    assert simulation.api.held_nodes["win-01"].labels == marked
    assert watcher.ended["win-01"].outcome is Outcome.UNCHANGED
    assert watcher.ended["win-01"].notes == ("win-01 is marked as a node of fleet shop",)
    assert simulation.api.writes == ["label win-01"]
    assert {name: machine.tree() for name, machine in simulation.machines.items()} == before
    _, again = apply(simulation)
    assert simulation.api.writes == ["label win-01"]
    assert again.ended["win-01"].notes == ()


def test_a_mark_that_cannot_be_given_is_that_hosts_matter_alone(simulation, monkeypatch):
    apply(simulation)
    simulation.api.held_nodes["win-01"] = replace(simulation.api.held_nodes["win-01"], labels={})

    async def forbidden(name, labels):
        raise PermanentError(f"cannot label {name} {labels}: forbidden")

    monkeypatch.setattr(simulation.api, "label_node", forbidden)
    _, watcher = apply(simulation)
    assert "forbidden" in str(watcher.ended["win-01"].error)
    assert watcher.ended["win-02"].error is None


def test_a_host_that_fails_leaves_the_others_and_the_next_apply_completes(simulation):
    machine = simulation.machines["win-01"]
    works = machine.host.programs["kubeadm.exe"]
    machine.host.programs["kubeadm.exe"] = lambda _, argv: Completed(
        code=int(argv[1] == "join"), output="no"
    )
    _, watcher = apply(simulation)
    assert outcomes(watcher) == {"win-01": Outcome.FAILED, "win-02": Outcome.CHANGED}
    error = watcher.ended["win-01"].error
    assert isinstance(error, PermanentError)
    assert error.message == "kubeadm join ended with 1: no"
    assert error.hint == "The end of kubeadm's output names the check or the step that failed."
    assert simulation.api.secrets == {}
    machine.host.programs["kubeadm.exe"] = works
    _, again = apply(simulation)
    assert outcomes(again) == {"win-01": Outcome.CHANGED, "win-02": Outcome.UNCHANGED}


def test_hosts_that_cannot_be_planned_are_told_and_the_others_done(simulation):
    simulation.machines["win-01"].is_away = True
    _, watcher = apply(simulation)
    assert outcomes(watcher) == {"win-01": Outcome.FAILED, "win-02": Outcome.CHANGED}
    assert isinstance(watcher.ended["win-01"].error, TemporaryError)


def test_a_reboot_is_made_only_where_the_fleet_allows_it():
    text = fleet_text(2).replace(
        "name: win-02, address: 10.0.0.3,", "name: win-02, address: 10.0.0.3, reboot: refused,"
    )
    simulation = Simulation(text=text)
    for machine in simulation.machines.values():
        machine.host.features.need_reboot.add("Containers")
    _, watcher = apply(simulation)
    assert [machine.reboots for machine in simulation.machines.values()] == [1, 0]
    assert outcomes(watcher) == {"win-01": Outcome.CHANGED, "win-02": Outcome.FAILED}
    assert "needs a reboot" in str(watcher.ended["win-02"].error)


def _disturb(simulation, *names):
    """Have something to change that may reboot the host: a feature that somebody turned off."""
    for name in names:
        simulation.machines[name].host.features.disable("Containers")


def test_what_stops_pods_on_nodes_goes_in_waves_with_cordon_drain_and_uncordon(simulation):
    apply(simulation)
    _with_pods(simulation)
    _disturb(simulation, "win-01", "win-02")
    simulation.api.writes = []
    planned, watcher = apply(simulation)
    assert planned.waves == (("win-01",), ("win-02",))
    assert outcomes(watcher) == {"win-01": Outcome.CHANGED, "win-02": Outcome.CHANGED}
    assert simulation.api.pods == {}
    order = [write for write in simulation.api.writes if "cordon" in write]
    assert order == ["cordon win-01", "uncordon win-01", "cordon win-02", "uncordon win-02"]
    assert not any(CORDON in node.annotations for node in simulation.api.held_nodes.values())


def test_a_new_containerd_goes_through_the_fleet_in_waves_and_pods_leave_first(simulation):
    apply(simulation)
    _with_pods(simulation)
    for machine in simulation.machines.values():
        machine.host.files.write(r"C:\Program Files\containerd\containerd.exe", b"older")
    simulation.api.writes = []
    planned, watcher = apply(simulation)
    assert planned.waves == (("win-01",), ("win-02",))
    assert outcomes(watcher) == {"win-01": Outcome.CHANGED, "win-02": Outcome.CHANGED}
    order = [write for write in simulation.api.writes if "cordon" in write]
    assert order == ["cordon win-01", "uncordon win-01", "cordon win-02", "uncordon win-02"]


def test_a_kubelet_restarts_in_its_wave_and_keeps_its_pods(simulation):
    apply(simulation)
    _with_pods(simulation)
    pods = dict(simulation.api.pods)
    for machine in simulation.machines.values():
        machine.host.files.write(r"C:\k\kubelet.exe", b"kubelet 1.37.0")
    simulation.api.writes = []
    planned, watcher = apply(simulation)
    assert planned.waves == (("win-01",), ("win-02",))
    assert outcomes(watcher) == {"win-01": Outcome.CHANGED, "win-02": Outcome.CHANGED}
    names = [name for name, _ in watcher.stages]
    assert names == sorted(names)  # the second is begun when the first is done
    assert simulation.api.pods == pods
    assert [write for write in simulation.api.writes if "cordon" in write] == []


def test_a_budget_that_blocks_stops_the_waves_and_names_the_pod(simulation):
    apply(simulation)
    _with_pods(simulation, budget=2)
    _disturb(simulation, "win-01", "win-02")
    _, watcher = apply(simulation)
    assert outcomes(watcher) == {"win-01": Outcome.FAILED, "win-02": Outcome.NOT_STARTED}
    assert "shop/web-1: The disruption budget web needs 2" in str(watcher.ended["win-01"].error)
    assert not simulation.api.held_nodes["win-01"].unschedulable
    simulation.api.budgets.clear()
    _, again = apply(simulation)
    assert outcomes(again) == {"win-01": Outcome.CHANGED, "win-02": Outcome.CHANGED}


def test_a_node_that_is_away_for_another_reason_leaves_no_room_for_a_wave():
    simulation = Simulation(3)
    apply(simulation)
    _disturb(simulation, "win-01", "win-02")
    node = simulation.api.held_nodes["win-03"]
    simulation.api.held_nodes["win-03"] = replace(node, unschedulable=True)
    simulation.api.writes = []
    planned, watcher = apply(simulation)
    assert (planned.waves, planned.held_back) == ((), ("win-01", "win-02"))
    assert outcomes(watcher)["win-01"] is Outcome.NOT_STARTED
    assert "win-03 (cordoned by somebody else)" in str(watcher.ended["win-01"].error)
    assert simulation.api.writes == []
    simulation.api.held_nodes["win-03"] = node
    _, again = apply(simulation)
    assert outcomes(again)["win-02"] is Outcome.CHANGED


def test_a_node_that_is_away_comes_first_and_is_mended_by_its_wave(monkeypatch):
    simulation = Simulation(3)
    apply(simulation)
    _disturb(simulation, "win-01", "win-02")
    node = simulation.api.held_nodes["win-02"]
    simulation.api.held_nodes["win-02"] = replace(node, ready=False, problem="no network")
    uncordon, machine = simulation.api.set_unschedulable, simulation.machines["win-02"]
    begun = []

    async def cordoned(name, *, unschedulable, annotations=None):
        begun.append(name)
        await uncordon(name, unschedulable=unschedulable, annotations=annotations)
        held = simulation.api.held_nodes[name]
        simulation.api.held_nodes[name] = replace(held, ready=machine.is_joined)

    monkeypatch.setattr(simulation.api, "set_unschedulable", cordoned)
    planned, watcher = apply(simulation)
    assert planned.waves == (("win-02",), ("win-01",))
    assert list(dict.fromkeys(begun)) == ["win-02", "win-01"]
    assert {ended.error for ended in watcher.ended.values()} == {None}


def test_a_node_left_cordoned_by_a_wave_that_was_cut_short_is_let_go(simulation):
    apply(simulation)
    cordoned_by(simulation, "apply")
    apply(simulation)
    assert not simulation.api.held_nodes["win-01"].unschedulable


def test_a_node_that_is_not_ready_though_nothing_is_to_change_is_told(simulation):
    apply(simulation)
    node = simulation.api.held_nodes["win-01"]
    simulation.api.held_nodes["win-01"] = replace(node, ready=False, problem="PLEG is not healthy")
    _, watcher = apply(simulation)
    assert "PLEG is not healthy" in str(watcher.ended["win-01"].error)
    assert watcher.ended["win-02"].error is None


def test_labels_that_a_kubelet_may_not_set_are_given_by_the_api():
    text = fleet_text(1).replace(
        "pool: web}", "pool: web, labels: {node-role.kubernetes.io/web: '', tier: web}}"
    )
    simulation = Simulation(text=text)
    apply(simulation)
    registered = {"tier": "web", **PREPARED}
    assert simulation.api.held_nodes["win-01"].labels == {
        **registered,
        "node-role.kubernetes.io/web": "",
        "tier": "web",
        "transom.dev/prepared": "true",
        FLEET: "shop",
    }
    flags = simulation.machines["win-01"].host.files.read(r"C:\var\lib\kubelet\kubeadm-flags.env")
    assert b"tier=web" in flags
    assert b"node-role" not in flags


def asking(names=("win-01", "10.0.0.2")):
    """A cluster whose node win-01 asks for a serving certificate of those names."""
    simulation = Simulation(1)
    simulation.api.config_maps = config_maps(kubelet={"serverTLSBootstrap": True})
    simulation.api.seen_requests = [
        CertificateRequestSight(
            name="csr-1",
            signer="kubernetes.io/kubelet-serving",
            username="system:node:win-01",
            subject="system:node:win-01",
            created=1,
            state=RequestState.PENDING,
            names=names,
            usages=("digital signature", "server auth"),
        )
    ]
    return simulation


@pytest.mark.parametrize("approve", [True, False])
def test_the_serving_certificate_is_approved_where_the_cluster_lets_kubelets_ask(approve):
    simulation = asking()
    apply(simulation, approve=approve)
    expected = RequestState.APPROVED if approve else RequestState.PENDING
    assert simulation.api.seen_requests[0].state is expected


def test_an_address_that_only_the_host_tells_is_not_approved_and_the_join_is_no_failure():
    simulation = asking(names=("win-01", "10.0.0.2", "10.0.0.99"))
    machine = simulation.machines["win-01"]
    machine.host.network.up = (Adapter(name="e", addresses=("10.0.0.2", "10.0.0.99"), dhcp=True),)
    _, watcher = apply(simulation)
    assert simulation.api.seen_requests[0].state is RequestState.PENDING
    assert watcher.ended["win-01"].outcome is Outcome.CHANGED
    assert (
        "csr-1 of win-01 is not approved: it asks for 10.0.0.99" in watcher.ended["win-01"].notes[0]
    )


def test_the_address_that_the_connection_leads_to_is_known_to_the_operator():
    simulation = asking(names=("win-01", "10.0.0.99"))
    simulation.machines["win-01"].peer = "10.0.0.99"
    apply(simulation)
    assert simulation.api.seen_requests[0].state is RequestState.APPROVED


def test_an_interruption_stops_hosts_after_their_step_and_starts_no_more():
    simulation = Simulation(3)
    watcher = Watcher()
    main: list[Any] = []

    def interrupt(name, event):
        if name == "win-01" and event.step == "directories":
            main[0].cancel()

    watcher.on_event = interrupt

    async def story():
        main.append(asyncio.current_task())
        site = simulation.doors(parallel=1)
        surveyed = await survey_fleet(simulation.fleet, simulation.lock, site)
        holder = Holder.of("ann", "apply", site.now())
        await apply_plan(Applying(surveyed=surveyed, doors=site, watcher=watcher, holder=holder))

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(story())
    assert simulation.machines["win-01"].orders[-1] == "cancel"
    assert {name for name, _, _ in watcher.steps} == {"win-01"}
    assert simulation.api.secrets == {}
    _, again = apply(simulation)
    assert {ended.ready for ended in again.ended.values()} == {True}


def test_without_a_kubeconfig_hosts_join_with_the_token_that_the_fleet_names():
    text = fleet_text(1).replace("{kubeconfig: nowhere}", WITHOUT_KUBECONFIG)
    simulation = Simulation(text=text)
    token = "abcdef.0123456789abcdef"
    made_by_a_person = Secret(namespace="kube-system", name="a", type="", data={})
    simulation.api.secrets["kube-system", "bootstrap-token-abcdef"] = made_by_a_person

    async def given():
        return token

    planned, watcher = apply(simulation, api=None, token=given)
    assert planned.hosts[0].standing is Standing.CHANGES
    assert simulation.machines["win-01"].tokens == [token]
    assert watcher.ended["win-01"].ready is None


@pytest.mark.parametrize(
    "said",
    [TemporaryError("the API server restarts"), PermanentError("nodes is forbidden, so far")],
    ids=["away", "just started"],
)
def test_an_api_server_that_restarts_while_a_node_is_awaited_costs_only_time(simulation, said):
    machine, node = simulation.machines["win-01"], simulation.api.node
    away = [said] * 3

    async def restarting(name):
        if machine.is_joined and away:
            raise away.pop()
        return await node(name)

    simulation.api.node = restarting
    _, watcher = apply(simulation)
    assert away == []
    assert watcher.ended["win-01"].ready is True


def test_an_api_server_that_is_away_when_a_token_is_needed_costs_only_time(simulation):
    create, away = simulation.api.create_secret, [TemporaryError("the API server restarts")] * 2

    async def restarting(secret):
        if away:
            raise away.pop()
        await create(secret)

    simulation.api.create_secret = restarting
    _, watcher = apply(simulation)
    assert outcomes(watcher) == {"win-01": Outcome.CHANGED, "win-02": Outcome.CHANGED}
    assert simulation.api.secrets == {}


def test_what_stands_in_the_way_only_when_the_run_begins_is_told_with_its_remedy(simulation):
    create, network = simulation.api.create_secret, simulation.machines["win-01"].host.network

    async def just_before(secret):
        network.unreachable.add("10.0.0.1:6443")
        await create(secret)

    simulation.api.create_secret = just_before
    _, watcher = apply(simulation)
    error = watcher.ended["win-01"].error
    assert error.message == "10.0.0.1:6443: no answer; it is the API server"
    assert error.hint == "Open the way to it, or name a mirror, bundle or proxy in the fleet."
    assert watcher.ended["win-02"].ready is True


def cut_off(simulation, held=Held):
    """Take what the hosts could download; it is held here instead."""
    (machine, *_others) = simulation.machines.values()
    found = held(machine.host.source.content.values())
    for machine in simulation.machines.values():
        machine.host.source.content.clear()
    return found


def test_hosts_without_network_join_with_what_is_uploaded_to_them():
    simulation = Simulation(2)
    held = cut_off(simulation)
    _, watcher = apply(simulation, holdings=held)
    assert outcomes(watcher) == {"win-01": Outcome.CHANGED, "win-02": Outcome.CHANGED}
    for machine in simulation.machines.values():
        assert machine.host.source.asked == []
        assert machine.host.disk.kind(UPLOADS) is PathKind.ABSENT
    held.asked.clear()
    plan, _ = apply(simulation, holdings=held)
    assert [host.standing for host in plan.hosts] == [Standing.UNCHANGED, Standing.UNCHANGED]
    assert held.asked == []


def test_what_is_uploaded_spoilt_fails_its_host_and_is_undone():
    simulation = Simulation(1)
    machine = simulation.machines["win-01"]
    _, watcher = apply(simulation, holdings=cut_off(simulation, Rotten))
    assert outcomes(watcher) == {"win-01": Outcome.FAILED}
    assert "its SHA-256 is" in str(watcher.ended["win-01"].error)
    done = [(step, state) for _, step, state in watcher.steps]
    changed = [step for step, state in done if state == "changed"]
    undone = [step for step, state in done if state == "undone" and step]
    assert changed
    assert undone == ["artifacts", *(step for step in reversed(changed) if step in undone)]
    assert machine.host.services.get("kubelet") is None
    assert machine.host.files.kind(r"C:\k\kubelet.exe") is PathKind.ABSENT


def test_hosts_download_with_the_authorities_and_headers_that_were_given():
    simulation = Simulation(1)
    header = SourceHeader(origin="https://mirror.corp", name="Authorization", value="t")
    access = SourceAccess(authorities="pem", headers=(header,))
    _, watcher = apply(simulation, access=access)
    assert outcomes(watcher) == {"win-01": Outcome.CHANGED}
    (machine,) = simulation.machines.values()
    assert set(machine.host.source.accesses) == {access}


@pytest.mark.parametrize("fault", ["none", "kubeadm", "reboot", "drain"])
def test_no_session_is_left_open_whatever_became_of_the_hosts(simulation, fault):
    machines = simulation.machines.values()
    if fault == "kubeadm":
        for machine in machines:
            machine.host.programs["kubeadm.exe"] = lambda _, _argv: Completed(code=1, output="no")
    if fault == "reboot":
        for machine in machines:
            machine.host.features.need_reboot.add("Containers")
    apply(simulation)
    if fault == "drain":
        _with_pods(simulation, budget=2)
        _disturb(simulation, "win-01", "win-02")
        apply(simulation)
    assert [machine.open_sessions for machine in machines] == [0, 0]


def test_a_cluster_that_cannot_be_read_is_told_of_every_host_that_has_nothing_to_do(simulation):
    apply(simulation)
    surveyed = asyncio.run(survey_fleet(simulation.fleet, simulation.lock, simulation.doors()))
    watcher = Watcher()

    async def away():
        raise TemporaryError("cannot reach the API server")

    simulation.api.nodes = away
    site = simulation.doors()
    holder = Holder.of("ann", "apply", site.now())
    work = Applying(surveyed=surveyed, doors=site, watcher=watcher, holder=holder)
    asyncio.run(apply_plan(work))
    assert {str(ended.error) for ended in watcher.ended.values()} == {"cannot reach the API server"}
    assert set(watcher.ended) == {"win-01", "win-02"}


def test_a_node_whose_apply_was_cut_off_in_its_wave_is_taken_over_and_let_go(simulation):
    """The cordon is another run's; the host has still something to change."""
    apply(simulation)
    cordoned_by(simulation, "apply")
    _disturb(simulation, "win-01")
    _, watcher = apply(simulation)
    assert watcher.ended["win-01"].error is None
    node = simulation.api.held_nodes["win-01"]
    assert (node.unschedulable, node.annotations) == (False, {})
