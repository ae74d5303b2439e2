"""Planning a fleet: what would change, who is refused and why, and that nothing is touched."""

import asyncio
import json
from dataclasses import replace

import pytest
import yaml
from tests.simulation import (
    AUTHORITY,
    CA_CERTIFICATE,
    KUBELET_CONF,
    NET_CONF,
    WITHOUT_KUBECONFIG,
    Simulation,
    config_maps,
    fleet_text,
)

from transom.errors import Refused
from transom.facts.catalogue import every_row
from transom.fleet.apply import Applying, apply_plan
from transom.fleet.planning.plan import Standing
from transom.fleet.survey import survey_fleet
from transom.fleet.work.cordon import Holder
from transom.model.disruption import Disruption
from transom.model.journal import Owner
from transom.node.engine.journal import Journal
from transom.node.host.values import Adapter
from transom.node.layout import Layout


def look(simulation, **doors):
    return asyncio.run(survey_fleet(simulation.fleet, simulation.lock, simulation.doors(**doors)))


def plan(simulation, **doors):
    return look(simulation, **doors).plan


def test_bare_hosts_would_join_and_nothing_is_left_on_them(simulation):
    before = {name: machine.tree() for name, machine in simulation.machines.items()}
    found = plan(simulation)
    assert [host.standing for host in found.hosts] == [Standing.CHANGES] * 2
    assert all(host.joins and not host.drains for host in found.hosts)
    assert found.waves == ()
    assert {name: machine.tree() for name, machine in simulation.machines.items()} == before
    assert simulation.api.writes == []


def test_every_change_of_a_bare_host_has_a_reason_that_explain_knows(simulation):
    known = {row.id for row in every_row()}
    changes = [change for step in plan(simulation).hosts[0].steps for change in step.drift]
    assert {change.subject for change in changes if not change.id} == set()
    assert {word for change in changes for word in change.id.split()} <= known


def test_a_host_that_is_away_does_not_hide_the_others(simulation):
    simulation.machines["win-01"].is_away = True
    first, second = plan(simulation).hosts
    assert first.standing is Standing.UNREACHABLE
    assert first.error is not None
    assert second.standing is Standing.CHANGES


def _join_by_others(machine, authority):
    machine.host.files.make_directory(CA_CERTIFICATE.rpartition("\\")[0])
    machine.host.files.write(KUBELET_CONF, b"kubeconfig")
    machine.host.files.write(CA_CERTIFICATE, authority)


@pytest.mark.parametrize(
    ("authority", "refusal", "next_"),
    [
        (AUTHORITY, "not-adopted", "transom adopt --host win-01"),
        (b"another", "another-cluster", "kubeadm reset"),
    ],
    ids=["this cluster's", "another's"],
)
def test_a_node_that_others_made_is_refused_with_what_to_do(simulation, authority, refusal, next_):
    _join_by_others(simulation.machines["win-01"], authority)
    first, second = plan(simulation).hosts
    assert first.standing is Standing.REFUSED
    assert [item.id for item in first.refusals] == [refusal]
    assert next_ in first.refusals[0].fix
    assert second.standing is Standing.CHANGES


@pytest.mark.parametrize(
    ("owner", "standing"),
    [
        ({"fleet": "other"}, Standing.REFUSED),
        ({"cluster": "sha256:other"}, Standing.REFUSED),
        ({"who": "operator"}, Standing.REFUSED),
        ({"fleet": "single-host"}, Standing.CHANGES),
        ({"fleet": "single-host", "cluster": ""}, Standing.CHANGES),
    ],
)
def test_a_host_of_another_owner_is_refused_and_a_single_one_taken_over(
    simulation, owner, standing
):
    mine = look(simulation).requests["win-01"].owner
    machine = simulation.machines["win-01"].host
    values = {"cluster": mine.cluster, "fleet": mine.fleet, "who": mine.who, **owner}
    machine.files.make_directory(Layout().state)
    Journal.create(machine.disk, Layout().journal, Owner(**values))
    first = plan(simulation).hosts[0]
    assert first.standing is standing
    if standing is Standing.REFUSED:
        assert first.refusals[0].id == "another-owner"


@pytest.mark.parametrize(
    ("backend", "subject"),
    [
        ({"Type": "host-gw"}, "network.flannel.mode"),
        ({"Type": "vxlan", "VNI": 1, "Port": 4789}, "network.flannel.vni"),
        ({"Type": "vxlan", "VNI": 4096}, "network.flannel.port"),
    ],
)
def test_a_network_that_differs_from_the_linux_nodes_is_refused(simulation, backend, subject):
    simulation.api.config_maps = config_maps({**NET_CONF, "Backend": backend})
    found = plan(simulation)
    assert found.is_refused
    assert [item.subject for item in found.checked.refusals] == [subject]


def test_another_plugin_on_the_linux_nodes_is_refused(simulation):
    simulation.api.config_maps = config_maps(None)
    simulation.api.held_daemon_sets = (_daemon_set("calico-node"),)
    (refusal,) = plan(simulation).checked.refusals
    assert "Calico on the cluster's Linux nodes" in refusal.found


def test_other_ranges_than_the_clusters_are_refused():
    text = fleet_text(1).replace("10.244.0.0/16", "10.200.0.0/16")
    (refusal,) = plan(Simulation(text=text)).checked.refusals
    assert refusal.subject == "network.podCIDRs"
    assert "10.244.0.0/16" in refusal.reason


def test_a_gate_in_the_clusters_kubelet_config_that_stops_a_kubelet_is_refused(simulation):
    gates = {"featureGates": {"WindowsGMSA": True}}
    simulation.api.config_maps = config_maps(kubelet=gates)
    (refusal,) = plan(simulation).checked.refusals
    assert refusal.subject == "ConfigMap kube-system/kubelet-config: featureGates.WindowsGMSA"


def test_a_field_that_the_recipe_mends_is_only_noted():
    simulation = Simulation(text=fleet_text(1).replace("1.37.1", "1.30.1"))
    simulation.api.server_version = "1.30.1"
    simulation.api.config_maps = config_maps(kubelet={"cgroupsPerQOS": True})
    checked = plan(simulation).checked
    assert checked.refusals == ()
    (note,) = checked.notes
    assert note.startswith("ConfigMap kube-system/kubelet-config: cgroupsPerQOS is true")
    assert "patched on the hosts" in note


def test_a_field_that_no_recipe_mends_is_refused(simulation):
    simulation.api.config_maps = config_maps(kubelet={"memoryManagerPolicy": "Static"})
    (refusal,) = plan(simulation).checked.refusals
    assert refusal.subject == "ConfigMap kube-system/kubelet-config: memoryManagerPolicy"


def _daemon_set(name, **spec):
    pod = {"containers": [{"name": "c", "image": "no"}], **spec}
    return {
        "metadata": {"name": name, "namespace": "kube-system"},
        "spec": {"template": {"spec": pod}},
    }


EVERYTHING = [{"operator": "Exists"}]
LINUX = {"kubernetes.io/os": "linux"}
NOT_WINDOWS = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {
                    "matchExpressions": [
                        {"key": "kubernetes.io/os", "operator": "NotIn", "values": ["windows"]}
                    ]
                }
            ]
        }
    }
}


@pytest.mark.parametrize(
    ("spec", "lands"),
    [
        ({"tolerations": EVERYTHING}, True),
        ({"tolerations": EVERYTHING, "os": {"name": "linux"}}, True),
        ({"tolerations": [{"key": "os", "value": "windows"}]}, False),
        ({}, False),
        ({"tolerations": EVERYTHING, "nodeSelector": LINUX}, False),
        ({"tolerations": EVERYTHING, "nodeSelector": {"nowhere": "true"}}, False),
        ({"tolerations": EVERYTHING, "affinity": NOT_WINDOWS}, False),
        ({"tolerations": EVERYTHING, "os": {"name": "windows"}}, False),
    ],
)
def test_daemon_sets_that_would_start_on_windows_are_named_with_their_patch(
    simulation, spec, lands
):
    simulation.api.held_daemon_sets = (_daemon_set("agent", **spec),)
    misplaced = plan(simulation).checked.misplaced
    assert [item.name for item in misplaced] == (["agent"] if lands else [])
    for item in misplaced:
        patch = item.patch.partition("-p '")[2].rstrip("'")
        assert json.loads(patch)["spec"]["template"]["spec"]["nodeSelector"] == LINUX
        assert item.patch.startswith("kubectl -n kube-system patch daemonset agent")


def test_without_taints_every_daemon_set_that_selects_no_system_would_start():
    text = fleet_text(1).replace("taints: [{key: os, value: windows, effect: NoSchedule}]", "")
    simulation = Simulation(text=text)
    simulation.api.held_daemon_sets = (_daemon_set("agent"),)
    assert [item.reason for item in plan(simulation).checked.misplaced] == ["selects no OS"]


def test_a_host_whose_windows_is_another_is_refused_alone(simulation):
    simulation.machines["win-02"].host.system.windows = (26100, 1)
    first, second = plan(simulation).hosts
    assert first.standing is Standing.CHANGES
    assert [item.id for item in second.refusals] == ["windows-build"]


def test_a_host_with_docker_alone_is_judged_by_its_own_runtime(simulation):
    from transom.node.host.values import ServiceDefinition

    definition = ServiceDefinition(command="dockerd.exe", display_name="Docker", start="automatic")
    simulation.machines["win-02"].host.services.put("docker", definition)
    first, second = plan(simulation).hosts
    assert first.standing is Standing.CHANGES
    assert second.standing is Standing.REFUSED
    assert isinstance(second.error, Refused)


def test_a_fleet_without_kubeconfig_is_planned_by_its_hosts_alone():
    text = fleet_text(1).replace("{kubeconfig: nowhere}", WITHOUT_KUBECONFIG)
    found = plan(Simulation(text=text), api=None)
    assert found.hosts[0].standing is Standing.CHANGES
    assert "no kubeconfig" in found.unread[0]


def test_disruption_is_that_of_the_most_disruptive_step(simulation):
    host = plan(simulation).hosts[0]
    assert host.disruption is Disruption.REBOOT
    assert host.changes == sum(len(step.drift) for step in host.steps)


def joined(simulation):
    """The hosts as nodes in use, with nothing to do."""
    site = simulation.doors()
    surveyed = asyncio.run(survey_fleet(simulation.fleet, simulation.lock, site))
    holder = Holder.of("ann", "apply", site.now())
    work = Applying(surveyed=surveyed, doors=site, watcher=Quiet(), holder=holder)
    asyncio.run(apply_plan(work))


class Quiet:
    """Looks on and says nothing."""

    def host(self, _name):
        return self

    def stage(self, _text):
        pass

    def event(self, _event):
        pass

    def done(self, applied):
        assert applied.error is None, applied.error


CHANGES = {
    "the runtime": (r"C:\Program Files\containerd\containerd.exe", Disruption.PODS_STOP),
    "its shim": (
        r"C:\Program Files\containerd\containerd-shim-runhcs-v1.exe",
        Disruption.PODS_STOP,
    ),
    "its configuration": (r"C:\Program Files\containerd\config.toml", Disruption.PODS_STOP),
    "a CNI plugin": (r"C:\opt\cni\bin\flannel.exe", Disruption.PODS_STOP),
    "flanneld": (r"C:\k\flanneld.exe", Disruption.PODS_STOP),
    "the kubelet": (r"C:\k\kubelet.exe", Disruption.KUBELET_RESTART),
    "kube-proxy": (r"C:\k\kube-proxy.exe", Disruption.PODS_STOP),
    "a tool": (r"C:\k\crictl.exe", Disruption.NONE),
}


@pytest.mark.parametrize(("path", "disruption"), CHANGES.values(), ids=list(CHANGES))
def test_a_change_of_a_node_in_use_is_judged_by_what_it_replaces(simulation, path, disruption):
    """Restarts wait for their wave; where pods would feel it they leave first."""
    joined(simulation)
    for machine in simulation.machines.values():
        machine.host.files.write(path, b"another")
    found = plan(simulation)
    felt = disruption is Disruption.PODS_STOP
    assert [(host.disruption, host.rolls, host.drains) for host in found.hosts] == [
        (disruption, disruption is not Disruption.NONE, felt)
    ] * 2
    alone = () if disruption is Disruption.NONE else (("win-01",), ("win-02",))
    assert found.waves == alone


def test_a_service_that_stands_still_is_started_at_once(simulation):
    joined(simulation)
    simulation.machines["win-01"].host.services.stop("containerd")
    first = plan(simulation).hosts[0]
    assert (first.standing, first.disruption) == (Standing.CHANGES, Disruption.NONE)
    assert (first.rolls, first.drains) == (False, False)


@pytest.mark.parametrize(("service", "drains"), [("containerd", True), ("kubelet", False)])
def test_a_service_that_is_defined_anew_is_restarted_in_a_wave(simulation, service, drains):
    joined(simulation)
    services = simulation.machines["win-01"].host.services
    services.put(service, replace(services.get(service), display_name="another"))
    first = plan(simulation).hosts[0]
    assert (first.rolls, first.drains) == (True, drains)


def test_a_refused_node_neither_waits_for_a_wave_nor_is_drained(simulation):
    joined(simulation)
    machine = simulation.machines["win-01"].host
    machine.files.write(r"C:\k\kubelet.exe", b"another")
    machine.system.windows = (26100, 1)
    first = plan(simulation).hosts[0]
    assert (first.standing, first.disruption) == (Standing.REFUSED, Disruption.NONE)
    assert (first.rolls, first.drains) == (False, False)


@pytest.mark.parametrize(
    ("pending", "policy", "warned"),
    [(True, "refused", True), (True, "allowed", False), (False, "refused", False)],
)
def test_a_pending_reboot_is_a_warning_only_where_the_fleet_refuses_it(pending, policy, warned):
    text = fleet_text(1).replace("pool: web}", f"pool: web, reboot: {policy}}}")
    simulation = Simulation(text=text)
    simulation.machines["win-01"].host.system.pending = pending
    (host,) = plan(simulation).hosts
    assert any("waits for a reboot" in warning for warning in host.warnings) == warned


def test_what_the_host_warns_of_is_in_the_plan(simulation):
    network = simulation.machines["win-01"].host.network
    network.adapters = lambda: (Adapter(name="Ethernet", addresses=("10.0.0.21",), dhcp=False),)
    first, second = plan(simulation).hosts
    assert any("static" in warning for warning in first.warnings), first.warnings
    assert second.warnings == ()


def test_an_api_server_that_refuses_hostprocess_pods_is_refused(simulation):
    maps = simulation.api.config_maps
    place = ("kube-system", "kubeadm-config")
    document = yaml.safe_load(maps[place]["ClusterConfiguration"])
    document["apiServer"] = {
        "extraArgs": [{"name": "feature-gates", "value": "WindowsHostProcessContainers=false"}]
    }
    maps[place] = {"ClusterConfiguration": json.dumps(document)}
    (refusal,) = plan(simulation).checked.refusals
    assert refusal.found == "WindowsHostProcessContainers=false"
    assert "kubeadm-config apiServer.extraArgs" in refusal.subject
