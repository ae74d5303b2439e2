"""The commands about a fleet as a person runs them, on simulated hosts and a cluster in memory."""

import asyncio
import io
import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest
from tests.simulation import (
    NET_CONF,
    WITHOUT_KUBECONFIG,
    Simulation,
    config_maps,
    fleet_text,
    forget_transom,
    lock_of,
    python_archive,
)
from tests.support.fleet_upload import Held

from transom.cli.commands import collect
from transom.cli.main import main
from transom.cli.options import fleet_access
from transom.errors import PermanentError
from transom.fleet.work.labels import FLEET
from transom.kube.api import Node, Pod, Secret
from transom.model.answers import ProgramState
from transom.model.fleet import KubernetesSpec
from transom.model.lock import Lock
from transom.model.manifest import ObjectName
from transom.model.recipe import PREPARED
from transom.node.host.values import Completed
from transom.node.layout import Layout
from transom.node.supervise.states import keep_state
from transom.recipe.lock_document import write_lock
from transom.spec.v1alpha1.rewriting import rewritten
from transom.testing.cluster import SERVED, MemoryCluster
from transom.testing.store import resource_of

DAEMON_SETS = ("apps/v1", "DaemonSet")


class Terminal(io.StringIO):
    """A person who types."""

    def isatty(self):
        return True


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A simulation, a fleet file and a lock for it, and the doors between them."""
    monkeypatch.chdir(tmp_path)
    simulation = Simulation()
    (tmp_path / "fleet.yaml").write_text(fleet_text(2))
    (tmp_path / "transom.lock").write_text(write_lock(simulation.lock))
    monkeypatch.setattr(fleet_access, "doors_of", lambda *_: simulation.doors())
    return simulation


def with_spec(tmp_path, text):
    """The fleet as v1alpha2, with more in its spec."""
    new = rewritten(fleet_text(2).encode(), name="fleet.yaml").text
    (tmp_path / "fleet.yaml").write_text(new.replace("spec:\n", f"spec:\n  {text}\n"))


@pytest.mark.parametrize("command", ["plan", "apply", "status", "reset"])
def test_another_cluster_is_refused_before_a_host_is_touched(site, command, tmp_path, capsys):
    with_spec(tmp_path, f'cluster: {{caCertHashes: ["sha256:{"0" * 64}"]}}')
    options = {"apply": ["--yes"], "reset": ["--all", "--yes"]}.get(command, [])
    assert main([command, *options]) == 3
    said = capsys.readouterr().err
    assert "fleet shop belongs to the cluster with sha256:0000" in said
    assert all(not machine.commands for machine in site.machines.values())


@pytest.mark.parametrize(
    "command", [["apply"], ["upgrade"], ["maintain"], ["adopt", "--host", "win-01"]]
)
@pytest.mark.usefixtures("site")
def test_a_paused_fleet_is_left_alone_and_can_be_looked_at(command, tmp_path, capsys):
    with_spec(tmp_path, "paused: true")
    assert main([*command, "--yes"]) == 3
    assert "left as they are" in capsys.readouterr().err
    assert main(["plan"]) == 1


@pytest.mark.usefixtures("site")
def test_a_plan_groups_hosts_that_get_the_same_and_counts_them(capsys):
    assert main(["plan"]) == 1
    out = capsys.readouterr().out
    first, _, out = out.partition("\n")
    assert first.startswith("fleet shop, cluster 10.0.0.1:6443 (sha256:")
    assert out.startswith("win-01, win-02 (pool web): joins the cluster, ")
    assert "disruption reboot" in out
    assert "Join the cluster (network-blip)" in out
    assert out.splitlines()[-1].startswith("Total: 2 hosts: 2 to change (")


def test_a_plan_names_people_in_the_place_of_descriptors_and_says_why(site, capsys):
    for machine in site.machines.values():
        machine.host.files.make_directory(r"C:\k")  # as an administrator would by hand
    main(["plan"])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert (
        r"C:\k: access for SYSTEM, Administrators, Users -> access for SYSTEM, Administrators"
        "  [directory-k]" in lines
    )
    assert r"Path: absent -> C:\k in the list  [environment-path-k]" in lines


def test_without_a_kubeconfig_status_and_reset_say_what_they_leave_out(
    site, capsys, monkeypatch, tmp_path
):
    async def token():
        return "abcdef.0123456789abcdef"

    text = fleet_text(2).replace("{kubeconfig: nowhere}", WITHOUT_KUBECONFIG)
    (tmp_path / "fleet.yaml").write_text(text)
    monkeypatch.setattr(fleet_access, "doors_of", lambda *_: site.doors(api=None, token=token))
    made_by_a_person = Secret(namespace="kube-system", name="a", type="", data={})
    site.api.secrets["kube-system", "bootstrap-token-abcdef"] = made_by_a_person
    assert main(["apply", "--yes"]) == 0
    capsys.readouterr()
    assert main(["status"]) == 0
    assert "not looked at: the cluster: there is no kubeconfig" in capsys.readouterr().out
    assert main(["status", "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["unread"] != []
    assert main(["reset", "--host", "win-01", "--yes"]) == 0
    assert "`kubectl delete node win-01`" in capsys.readouterr().out


@pytest.mark.usefixtures("site")
def test_apply_without_anybody_to_ask_changes_nothing(capsys, site):
    assert main(["apply"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert not any(machine.is_joined for machine in site.machines.values())


def test_apply_makes_nodes_and_then_there_is_nothing_to_do(site, capsys, tmp_path):
    assert main(["apply", "--yes", "--junit", "result.xml"]) == 0
    said = capsys.readouterr()
    assert "win-01  changed  yes    1.37.1" in said.out
    assert "changed  Join the cluster" in said.err
    suite = ET.parse(tmp_path / "result.xml").getroot()[0]  # noqa: S314 - our own file
    assert (suite.get("tests"), suite.get("failures")) == ("2", "0")
    assert main(["plan"]) == 0
    assert "win-01, win-02 (pool web): nothing to do" in capsys.readouterr().out
    assert main(["apply"]) == 0
    assert "win-02  unchanged  yes" in capsys.readouterr().out
    assert all(machine.is_joined for machine in site.machines.values())


def test_json_says_what_was_done_and_what_went_wrong(site, capsys):
    site.machines["win-02"].is_away = True
    assert main(["apply", "--yes", "-o", "json"]) == 4
    result = json.loads(capsys.readouterr().out)
    first, second = result["hosts"]
    assert (first["host"], first["outcome"], first["ready"]) == ("win-01", "changed", True)
    assert "join" in first["changed"]
    assert (second["outcome"], second["error"]) == (
        "failed",
        "cannot reach 10.0.0.3 by SSH: no answer in time",
    )


def test_a_network_that_differs_ends_plan_and_apply_with_3_and_nothing_is_done(site, capsys):
    backend = {"Type": "host-gw"}
    site.api.config_maps = config_maps({**NET_CONF, "Backend": backend})
    assert main(["plan", "-o", "json"]) == 3
    assert json.loads(capsys.readouterr().out)["refused"][0]["subject"] == "network.flannel.mode"
    assert main(["apply", "--yes"]) == 3
    assert "host-gw in ConfigMap kube-flannel-cfg" in capsys.readouterr().err
    assert not any(machine.is_joined for machine in site.machines.values())


def test_a_host_can_be_chosen_by_name_or_pool(site, capsys):
    assert main(["apply", "--yes", "--host", "win-02"]) == 0
    assert [machine.is_joined for machine in site.machines.values()] == [False, True]
    assert main(["plan", "--pool", "nope", "--host", "win-09"]) == 2
    said = capsys.readouterr().err
    assert "no pool nope, no host win-09" in said
    assert "its hosts are win-01, win-02; its pools web" in said


def test_a_fleet_that_is_not_locked_is_told_so(site, capsys, tmp_path):
    del site
    (tmp_path / "transom.lock").unlink()
    assert main(["plan"]) == 2
    assert "transom lock" in capsys.readouterr().err


def test_a_terminal_is_asked_and_only_a_whole_yes_counts(site, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    assert main(["apply"]) == 2
    assert "not confirmed; nothing was changed" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", Terminal("yes\n"))
    assert main(["apply"]) == 0
    assert all(machine.is_joined for machine in site.machines.values())


def test_status_shows_how_hosts_stand_and_what_is_left_over(site, capsys, tmp_path):
    assert main(["status"]) == 1
    assert "win-01" in capsys.readouterr().out
    assert main(["apply", "--yes"]) == 0
    capsys.readouterr()
    assert main(["status"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said.pop(0).startswith("cluster 10.0.0.1:6443 (sha256:")
    assert said[0].split()[:4] == ["HOST", "ADDRESS", "WINDOWS", "NODE"]
    assert said[1].split()[:4] == ["win-01", "10.0.0.2", "20348.2700", "Ready"]
    assert "flannel overlay" in said[1]
    assert "settled" in said[1]
    for name, system, labels in (
        ("by-hand", "windows", {}),
        ("linux", "linux", {}),
        ("theirs", "windows", {FLEET: "another"}),
    ):
        site.api.held_nodes[name] = Node(name=name, ready=True, system=system, labels=labels)
    (tmp_path / "fleet.yaml").write_text(fleet_text(1))
    assert main(["status"]) == 0
    said = capsys.readouterr().out
    assert "win-02: left over: its Node is marked as one of this fleet" in said
    assert "Windows nodes of no fleet: by-hand" in said
    assert "theirs" not in said
    assert main(["status", "-o", "json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert [host["host"] for host in status["hosts"]] == ["win-01"]
    assert (status["leftOver"], status["ofNoFleet"]) == (["win-02"], ["by-hand"])


def test_a_status_names_what_is_the_matter(site, capsys):
    assert main(["apply", "--yes"]) == 0
    site.machines["win-01"].is_away = True
    node = site.api.held_nodes["win-02"]
    site.api.held_nodes["win-02"] = replace(node, ready=False, problem="PLEG is not healthy")
    waits = ProgramState(name="kube-proxy", state="waiting", reason="no HNS network yet", since="")
    keep_state(site.machines["win-02"].host.files, Layout(), waits)
    capsys.readouterr()
    assert main(["status"]) == 1
    said = capsys.readouterr().out
    assert "win-01: cannot reach 10.0.0.2 by SSH: no answer in time" in said
    assert "win-02: not Ready: PLEG is not healthy" in said
    assert "win-02: kube-proxy is waiting: no HNS network yet" in said


def test_a_reset_needs_its_hosts_named_and_the_fleets_name_typed(site, capsys, monkeypatch):
    assert main(["apply", "--yes"]) == 0
    assert main(["reset", "-f", "fleet.yaml"]) == 2
    assert "--all" in capsys.readouterr().err
    assert main(["reset", "--host", "win-01"]) == 2
    assert "--yes" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", Terminal("yes\n"))
    assert main(["reset", "--host", "win-01"]) == 2
    assert site.machines["win-01"].is_joined
    monkeypatch.setattr("sys.stdin", Terminal("shop\n"))
    assert main(["reset", "--host", "win-01"]) == 0
    assert [machine.is_joined for machine in site.machines.values()] == [False, True]
    assert list(site.api.held_nodes) == ["win-02"]


def test_a_reset_of_all_returns_every_host_to_what_it_was(site, capsys):
    before = {name: machine.tree() for name, machine in site.machines.items()}
    assert main(["apply", "--yes"]) == 0
    assert main(["reset", "--all", "--yes"]) == 0
    assert "win-02  reset" in capsys.readouterr().out
    assert {name: machine.tree() for name, machine in site.machines.items()} == before
    assert site.api.held_nodes == {}
    assert main(["reset", "--all", "--yes", "-o", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["verb"], result["hosts"][0]["outcome"]) == ("reset", "unchanged")


def test_a_host_of_another_fleet_is_neither_planned_for_nor_reset(site, capsys, tmp_path):
    assert main(["apply", "--yes"]) == 0
    (tmp_path / "fleet.yaml").write_text(fleet_text(2).replace("name: shop", "name: bank"))
    capsys.readouterr()
    assert main(["plan"]) == 3
    assert "does not belong to fleet bank" in capsys.readouterr().out
    assert main(["reset", "--all", "--yes"]) == 3
    assert "win-02 belongs to fleet shop" in capsys.readouterr().out
    assert all(machine.is_joined for machine in site.machines.values())
    assert all(not node.unschedulable for node in site.api.held_nodes.values())


@pytest.mark.parametrize("at", ["python.exe", "node.pyz"])
def test_an_upload_that_is_cut_is_told_completed_by_the_next_apply_and_wholly_reset(
    site, capsys, at
):
    machine = site.machines["win-01"]
    before, machine.cut_at_put = machine.tree(), at
    assert main(["apply", "--yes"]) == 4
    assert "win-01: the session was cut" in capsys.readouterr().out
    assert site.machines["win-02"].is_joined
    assert main(["apply", "--yes"]) == 0
    assert main(["reset", "--all", "--yes"]) == 0
    assert machine.tree() == before


def test_a_reset_takes_away_what_a_cut_upload_left(site):
    machine = site.machines["win-01"]
    before, machine.cut_at_put = machine.tree(), "node.pyz"
    assert main(["plan", "--host", "win-01"]) == 4
    assert machine.tree() != before
    assert main(["reset", "--host", "win-01", "--yes"]) == 0
    assert machine.tree() == before


def test_a_reset_lets_pods_leave_first_unless_told_otherwise(site, capsys):
    assert main(["apply", "--yes"]) == 0
    pod = Pod(namespace="shop", name="web", node="win-01")
    site.api.pods["shop", "web"] = pod
    assert main(["reset", "--host", "win-01", "--yes"]) == 5
    assert "shop/web has no controller" in capsys.readouterr().out
    assert site.machines["win-01"].is_joined
    assert main(["reset", "--host", "win-01", "--yes", "--no-drain"]) == 0


def test_doctor_and_collect_visit_every_host_and_say_which_cannot_be_reached(
    site, capsys, tmp_path
):
    assert main(["apply", "--yes"]) == 0
    site.machines["win-02"].is_away = True
    capsys.readouterr()
    assert main(["doctor"]) == 4
    said = capsys.readouterr().out
    assert "win-02" in said
    assert "cannot reach 10.0.0.3" in said
    assert main(["collect", "--directory", "out", "-o", "json"]) == 4
    (archive,) = json.loads(capsys.readouterr().out)["archives"]
    assert archive["host"] == "win-01"
    assert (tmp_path / archive["file"]).is_file()
    assert main(["doctor", "10.0.0.2", "--host", "win-01"]) == 2
    assert main(["collect", "10.0.0.2", "--pool", "web"]) == 2


@pytest.mark.usefixtures("site")
def test_an_archive_that_cannot_be_written_is_that_hosts_matter_alone(capsys, monkeypatch):
    def write(collected, folder):
        if collected.host == "win-01":
            raise PermanentError("cannot write it: No space left on device")
        return real(collected, folder)

    assert main(["apply", "--yes"]) == 0
    real = collect.write
    monkeypatch.setattr(collect, "write", write)
    capsys.readouterr()
    assert main(["collect", "--directory", "out", "-o", "json"]) == 5
    said = capsys.readouterr()
    assert [archive["host"] for archive in json.loads(said.out)["archives"]] == ["win-02"]
    assert "win-01: cannot write it" in said.err


@pytest.mark.usefixtures("site")
def test_settings_that_do_not_arrive_are_listed_and_the_exit_code_says_so(tmp_path, capsys):
    assert main(["apply", "--yes", "--no-addons"]) == 0
    fleet = tmp_path / "fleet.yaml"
    more = "\n  defaults:\n    kubelet: {config: {maxPods: 50}}\n    labels: {tier: web}\n"
    fleet.write_text(fleet.read_text().replace("\n  defaults:\n", more))
    capsys.readouterr()
    assert main(["plan", "--no-addons"]) == 1
    said = capsys.readouterr().out
    assert "not applied: kubelet.config.maxPods: absent -> 50" in said
    assert "kubeadm upgrade node phase kubelet-config" in said
    assert "not applied: labels.tier: absent -> web" in said
    for _ in range(2):
        assert main(["apply", "--yes", "--no-addons"]) == 1
        said = capsys.readouterr().out
        assert "win-01: not applied: kubelet.config.maxPods: absent -> 50" in said
    assert main(["plan", "--no-addons", "-o", "json"]) == 1
    planned = json.loads(capsys.readouterr().out)["hosts"][0]
    assert (planned["standing"], len(planned["notApplied"])) == ("unchanged", 2)
    assert main(["apply", "--yes", "--no-addons", "-o", "json"]) == 1
    applied = json.loads(capsys.readouterr().out)["hosts"][0]
    assert [item["subject"] for item in applied["notApplied"]] == [
        "kubelet.config.maxPods",
        "labels.tier",
    ]


def test_a_node_that_others_made_is_adopted_and_then_planned(site, capsys):
    machine = site.machines["win-01"]
    assert main(["apply", "--yes", "--host", "win-01"]) == 0
    forget_transom(machine.host)
    capsys.readouterr()
    assert main(["plan", "--host", "win-01"]) == 3
    assert "transom adopt --host win-01" in capsys.readouterr().out
    assert main(["adopt"]) == 2
    found = replace(site.api.held_nodes["win-01"], labels={"tier": "web"})
    site.api.held_nodes["win-01"] = found
    assert main(["adopt", "--host", "win-01", "--yes"]) == 0
    assert "win-01  changed" in capsys.readouterr().out
    assert site.api.held_nodes["win-01"].labels == {"tier": "web", FLEET: "shop"}
    assert main(["plan", "--host", "win-01"]) in (0, 1)
    assert main(["reset", "--host", "win-01", "--yes"]) == 0
    assert site.api.held_nodes["win-01"] == found


def test_an_adopted_node_runs_the_add_ons_once_it_has_their_programs(site):
    """The add-ons' pods select a label that only a node which Transom joined registers with."""
    machine = site.machines["win-01"]
    assert main(["apply", "--yes"]) == 0
    assert site.api.held_nodes["win-01"].labels == {**PREPARED, FLEET: "shop"}
    forget_transom(machine.host)
    machine.host.files.write(r"C:\k\kube-proxy.exe", b"another version")
    found = replace(site.api.held_nodes["win-01"], labels={"tier": "web"})
    site.api.held_nodes["win-01"] = found
    assert main(["adopt", "--host", "win-01", "--yes"]) == 0
    assert not PREPARED.keys() & site.api.held_nodes["win-01"].labels.keys()
    assert main(["apply", "--host", "win-01", "--yes"]) == 0
    assert site.api.held_nodes["win-01"].labels == {"tier": "web", FLEET: "shop", **PREPARED}
    assert main(["reset", "--host", "win-01", "--yes"]) == 0
    assert site.api.held_nodes["win-01"] == found


def test_a_node_that_lost_the_add_ons_label_gets_it_back_unless_somebody_says_no(site):
    assert main(["apply", "--yes"]) == 0
    for name, labels in (("win-01", {}), ("win-02", dict.fromkeys(PREPARED, "false"))):
        node = replace(site.api.held_nodes[name], labels={FLEET: "shop", **labels})
        site.api.held_nodes[name] = node
    site.api.writes.clear()
    assert main(["apply", "--yes"]) == 0
    assert site.api.held_nodes["win-01"].labels == {FLEET: "shop", **PREPARED}
    assert site.api.held_nodes["win-02"].labels == {FLEET: "shop", **labels}
    assert site.api.writes == ["label win-01"]


def test_a_host_that_is_no_node_cannot_be_adopted(site, capsys):
    del site
    assert main(["adopt", "--host", "win-01", "--yes"]) == 3
    assert "only a node that kubeadm joined can be adopted" in capsys.readouterr().out


def commands(site, name):
    """What a program of the hosts was started with, from now on."""
    ran: list[list[str]] = []

    def program(_host, argv):
        ran.append(list(argv))
        return Completed(code=0, output="")

    for machine in site.machines.values():
        machine.host.programs[name] = program
    return ran


def test_maintenance_goes_wave_by_wave_with_a_reboot_and_is_not_done_twice_a_day(site, capsys):
    assert main(["apply", "--yes"]) == 0
    site.api.writes = []
    capsys.readouterr()
    words = ["maintain", "--yes", "--", r"C:\my tools\patch.exe", "/quiet", 'a "b" & c']
    ran = commands(site, "patch.exe")
    for machine in site.machines.values():
        machine.host.files.make_directory(r"C:\my tools")
        machine.host.files.write(words[3], b"MZ")
    assert main(words) == 0
    assert ran == [words[3:]] * 2
    assert [machine.reboots for machine in site.machines.values()] == [1, 1]
    order = [write for write in site.api.writes if "cordon" in write]
    assert order == ["cordon win-01", "uncordon win-01", "cordon win-02", "uncordon win-02"]
    assert main(words) == 0
    assert [machine.reboots for machine in site.machines.values()] == [1, 1]
    assert "win-01  unchanged" in capsys.readouterr().out
    assert main([*words[:2], "--again", *words[2:]]) == 0
    assert [machine.reboots for machine in site.machines.values()] == [2, 2]


def test_a_windows_that_is_another_after_its_maintenance_keeps_the_node_cordoned(site, capsys):
    assert main(["apply", "--yes"]) == 0
    commands(site, "patch")
    machine = site.machines["win-01"]
    was = machine.host.features.reboot

    def reboot():
        machine.host.system.windows = (26100, 1)
        was()

    machine.host.features.reboot = reboot
    capsys.readouterr()
    assert main(["maintain", "--yes", "--", "patch"]) == 3
    said = capsys.readouterr().out
    assert "win-01  failed" in said
    assert "win-02  not started" in said
    assert site.api.held_nodes["win-01"].unschedulable
    assert not site.api.held_nodes["win-02"].unschedulable


@pytest.mark.usefixtures("site")
def test_an_upgrade_that_cannot_be_or_is_not_confirmed_leaves_the_file_as_it_is(capsys, tmp_path):
    assert main(["apply", "--yes"]) == 0
    before = (tmp_path / "fleet.yaml").read_text()
    assert main(["upgrade", "--to", "nonsense", "--yes"]) == 2
    assert main(["upgrade", "--to", "1.37.2"]) == 2
    assert (tmp_path / "fleet.yaml").read_text() == before
    for version, code, said in (
        ("1.37.2", 2, "transom lock"),
        ("1.39.0", 3, "kubelet 1.39.0, API server 1.37.1"),
    ):
        assert main(["upgrade", "--to", version, "--yes"]) == code
        assert said in capsys.readouterr().err
        assert (tmp_path / "fleet.yaml").read_text() == before


def _offer(site, folder, version):
    """Have the artifacts of another version where hosts find them, and locked."""
    newer = replace(site.fleet, kubernetes=KubernetesSpec(version))
    hosts = [machine.host for machine in site.machines.values()]
    lock = site.lock.with_entries(lock_of([newer], hosts).entries)
    (folder / "transom.lock").write_text(write_lock(lock))


def test_an_upgrade_takes_nodes_wave_by_wave_to_the_new_version(site, capsys, tmp_path):
    assert main(["apply", "--yes"]) == 0
    _offer(site, tmp_path, "1.37.2")
    site.api.server_version = "1.37.2"
    site.api.writes = []
    capsys.readouterr()
    assert main(["upgrade", "--to", "1.37.2", "--yes"]) == 0, capsys.readouterr().out
    order = [write for write in site.api.writes if "cordon" in write]
    assert order == ["cordon win-01", "uncordon win-01", "cordon win-02", "uncordon win-02"]
    capsys.readouterr()
    assert main(["plan"]) == 0
    assert main(["upgrade", "--yes"]) == 0
    assert "nothing to do" in capsys.readouterr().out


def test_a_node_that_somebody_cordoned_holds_an_upgrade_back(site, capsys, tmp_path):
    assert main(["apply", "--yes"]) == 0
    _offer(site, tmp_path, "1.37.2")
    site.api.server_version = "1.37.2"
    site.api.held_nodes["win-02"] = replace(site.api.held_nodes["win-02"], unschedulable=True)
    capsys.readouterr()
    words = ["upgrade", "--to", "1.37.2", "--host", "win-01", "--yes"]
    before = (tmp_path / "fleet.yaml").read_text()
    assert main(words) == 4
    said = capsys.readouterr()
    assert "Away already" in said.out
    assert "win-02: cordoned by somebody else" in said.out
    assert "error: of pool web at most 1 of 2 nodes may be away at once" in said.err
    assert "  next:  fix, join or uncordon what is away, or raise maxUnavailable" in said.err
    assert (tmp_path / "fleet.yaml").read_text() == before
    assert main(["upgrade", "--to", "1.37.2", "--yes"]) == 4
    assert "win-01: of pool web at most 1 of 2 nodes may be away" in capsys.readouterr().out
    assert {name: machine.kubelet for name, machine in site.machines.items()} == {
        "win-01": "1.37.1",
        "win-02": "1.37.2",
    }
    site.api.held_nodes["win-02"] = replace(site.api.held_nodes["win-02"], unschedulable=False)
    assert main(["upgrade", "--yes"]) == 0
    assert site.machines["win-01"].kubelet == "1.37.2"


def test_a_node_that_was_rolled_back_and_is_ready_takes_pods_again(site, tmp_path):
    assert main(["apply", "--yes"]) == 0
    _offer(site, tmp_path, "1.37.2")
    site.api.server_version = "1.37.2"
    broken = Completed(code=1, output="[ERROR CRI]")
    site.machines["win-01"].host.programs["kubeadm-new.exe"] = lambda *_: broken
    assert main(["upgrade", "--to", "1.37.2", "--yes", "--keep-going"]) == 5
    assert not site.api.held_nodes["win-01"].unschedulable
    versions = {name: machine.kubelet for name, machine in site.machines.items()}
    assert versions == {"win-01": "1.37.1", "win-02": "1.37.2"}


def test_a_node_that_is_not_ready_holds_maintenance_of_its_pool_back(site, capsys):
    assert main(["apply", "--yes"]) == 0
    ran = commands(site, "patch")
    away = replace(site.api.held_nodes["win-02"], ready=False, problem="PLEG is not healthy")
    site.api.held_nodes["win-02"] = away
    capsys.readouterr()
    assert main(["maintain", "--host", "win-01", "--yes", "--", "patch"]) == 4
    said = capsys.readouterr()
    assert "and 1 is: win-02 (NotReady: PLEG is not healthy)" in said.err
    assert ran == []
    assert main(["maintain", "--", "patch"]) == 2
    said = capsys.readouterr()
    assert "  1. win-02\n  2. win-01" in said.out
    assert "nobody can be asked: Run patch on win-01, win-02, with a reboot" in said.err
    assert ran == []


def test_a_result_that_could_not_be_written_is_refused_before_anything_is_done(site, capsys):
    assert main(["apply", "--yes", "--junit", "nowhere/result.xml"]) == 2
    assert "cannot write nowhere/result.xml: there is no such folder" in capsys.readouterr().err
    assert not any(machine.sessions for machine in site.machines.values())


def test_a_node_that_waits_for_its_upgrade_is_maintained_all_the_same(site, tmp_path, capsys):
    assert main(["apply", "--yes"]) == 0
    _offer(site, tmp_path, "1.37.2")
    site.api.server_version = "1.37.2"
    file = tmp_path / "fleet.yaml"
    file.write_text(file.read_text().replace("version: 1.37.1", "version: 1.37.2"))
    assert main(["plan"]) == 3
    ran = commands(site, "patch")
    assert main(["maintain", "--yes", "--", "patch"]) == 0, capsys.readouterr().out
    assert len(ran) == 2
    assert {machine.kubelet for machine in site.machines.values()} == {"1.37.1"}


def test_a_program_of_maintenance_that_is_not_there_is_told_with_what_became_of_the_node(
    site, capsys
):
    assert main(["apply", "--yes"]) == 0
    assert main(["maintain", "--yes", "--", "nothing.exe"]) == 5
    said = capsys.readouterr().out
    assert "win-01: cannot start nothing.exe" in said
    assert "next: the node stays cordoned; fix it, then re-run the command" in said
    assert site.api.held_nodes["win-01"].unschedulable


def test_what_is_the_same_of_many_hosts_is_said_once(site, capsys):
    del site
    assert main(["upgrade", "--yes"]) == 3
    said = capsys.readouterr().out
    assert said.count("no node that Transom joined or adopted") == 2
    assert "win-01, win-02 (pool web): refused" in said
    assert "win-01, win-02: no node that Transom joined or adopted" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["reset", "--all", "--host", "win-01"], "--all is every host of the fleet"),
        (["adopt", "10.0.0.2", "--host", "win-01"], "either one machine by its ADDRESS"),
        (["upgrade", "10.0.0.2", "--pool", "web"], "either one machine by its ADDRESS"),
        (["access", "ssh"], "required: HOST\n"),
        (["reset", "--all"], "nobody can be asked: reset win-01, win-02"),
        (["upgrade", "--to", "1.37", "--yes"], "'1.37' is no version in full"),
        (["access", "rdp", "win-01", "--port", "99999"], "'99999' is no port"),
        (["access", "rdp", "win-01", "--port", "-1"], "'-1' is no port"),
    ],
)
@pytest.mark.usefixtures("site")
def test_what_cannot_be_meant_is_refused_before_anything_is_reached(words, said, capsys):
    assert main(words) == 2
    assert said in capsys.readouterr().err


@pytest.fixture
def with_addons(site, monkeypatch):
    """The same site, with a cluster that keeps objects too."""
    name, data = ("kube-flannel", "kube-flannel-cfg"), {"net-conf.json": json.dumps(NET_CONF)}
    metadata = {"namespace": name[0], "name": name[1]}
    flannel = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    site.objects = MemoryCluster((flannel,))
    monkeypatch.setattr(fleet_access, "doors_of", lambda *_: site.doors(objects=site.objects))
    return site


def daemon_sets(site):
    return [item["metadata"]["name"] for item in asyncio.run(site.objects.list(*DAEMON_SETS))]


def observe(site):
    """The pods of add-ons run on every node."""
    for name in ("kube-flannel-windows", "kube-proxy-windows"):
        counts = ("desiredNumberScheduled", "updatedNumberScheduled", "numberAvailable")
        status = {"observedGeneration": 1, **dict.fromkeys(counts, 2)}
        site.objects.observe(ObjectName(*DAEMON_SETS, "transom-system", name), status)


def test_apply_brings_missing_addons_as_planned_and_takes_nothing_away(with_addons, capsys):
    assert main(["plan", "-o", "json"]) == 1
    planned = json.loads(capsys.readouterr().out)["addons"]
    assert {item["act"] for item in planned} == {"create"}
    assert daemon_sets(with_addons) == []
    assert main(["apply", "--yes", "-o", "json"]) == 4
    applied = json.loads(capsys.readouterr().out)
    assert applied["addons"] == planned
    assert [host["ready"] for host in applied["hosts"]] == [True, True]
    assert "after 300 s DaemonSet transom-system/kube-flannel-windows" in applied["addonsError"]
    assert main(["apply"]) == 4
    assert (
        "add-ons: DaemonSet transom-system/kube-flannel-windows was not" in capsys.readouterr().out
    )
    observe(with_addons)
    labels = {"app.kubernetes.io/managed-by": "transom", "transom.dev/fleet": "shop"}
    extra = {"name": "windows-exporter", "namespace": "transom-system", "labels": labels}
    spec: dict[str, Any] = {"template": {"spec": {}}}
    ours = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": extra, "spec": spec}
    asyncio.run(with_addons.objects.apply(ours))
    assert main(["apply"]) == 0
    assert "nothing to do" in capsys.readouterr().out
    assert "windows-exporter" in daemon_sets(with_addons)


def test_apply_without_addons_leaves_the_cluster_alone(with_addons, capsys):
    assert main(["plan", "--no-addons"]) == 1
    assert "Add-ons" not in capsys.readouterr().out
    assert main(["apply", "--yes", "--no-addons"]) == 0
    assert daemon_sets(with_addons) == []


def test_a_rival_is_refused_before_any_host_is_touched(with_addons, capsys):
    pod = {"nodeSelector": {"kubernetes.io/os": "windows"}, "containers": []}
    rival = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"namespace": "kube-system", "name": "kube-proxy-windows"},
        "spec": {"template": {"spec": pod}},
    }
    with_addons.objects = MemoryCluster((rival,))
    assert main(["plan"]) == 3
    assert "another kube-proxy for Windows nodes" in capsys.readouterr().out
    assert main(["apply", "--yes"]) == 3
    said = capsys.readouterr().err
    assert "DaemonSet kube-system/kube-proxy-windows" in said
    assert "--no-addons" in said
    assert not any(machine.is_joined for machine in with_addons.machines.values())


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan", "--bundle", "x", "--python", "p"], "--bundle uses nothing else, so --python has"),
        (
            ["plan", "--bundle", "x", "--bundle-signature", "s"],
            "--bundle-signature needs --bundle-key",
        ),
        (["apply", "--bundle", "x", "--ca-file", "c"], "so --ca-file has no place beside it"),
        (["upgrade", "10.0.0.9", "--bundle", "x"], "--bundle is for the hosts of a fleet here"),
        (["upgrade", "--mirror", "https://a=https://b"], "--mirror is for one machine"),
    ],
)
def test_sources_that_have_no_place_beside_each_other_are_refused(words, said, capsys):
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_a_bundle_that_is_not_one_is_refused_before_a_host_is_reached(site, tmp_path, capsys):
    """Named on the command line, or by the fleet as a path beside it."""
    (tmp_path / "x.bundle").write_bytes(b"nothing")
    before = [machine.host.calls.count for machine in site.machines.values()]
    assert main(["apply", "--yes", "--bundle", "x.bundle"]) != 0
    fleet = tmp_path / "fleet.yaml"
    text = fleet.read_text().replace("\nspec:\n", "\nspec:\n  source: {bundle: x.bundle}\n")
    fleet.write_text(text)
    assert main(["apply", "--yes"]) != 0
    complaints = capsys.readouterr().err
    assert complaints.count("x.bundle is not a bundle") == 2
    assert [machine.host.calls.count for machine in site.machines.values()] == before


@pytest.fixture
def bundle(site, monkeypatch):
    """A whole bundle of the fleet's own bytes, signed by the key site.pub alone."""

    class Bundle(Held):
        made_by = site.lock

        def __init__(self, path):
            assert path.name == "shop.bundle"
            (machine, *_others) = site.machines.values()
            super().__init__(machine.host.source.content.values())

        def refuse_unsigned(self, *, signature, key):
            assert signature.name == "shop.bundle.sig"
            if key.name != "site.pub":
                raise PermanentError("is not this bundle's signature")

        def lock(self):
            return self.made_by

        def python(self, lock):
            assert [entry.id for entry in lock.entries if entry.id == "python"]
            return python_archive()

    monkeypatch.setattr("transom.image.bundle.holdings.BundleHoldings", Bundle)
    return Bundle


APPLY = ["apply", "--yes", "--no-addons", "--bundle", "shop.bundle"]


@pytest.mark.usefixtures("bundle")
def test_apply_with_a_bundle_of_the_lock_uses_its_python_and_its_bytes(site):
    assert main(APPLY) == 0
    assert [machine.host.source.asked for machine in site.machines.values()] == [[], []]


@pytest.mark.usefixtures("bundle")
def test_a_signed_bundle_needs_no_lock(site, tmp_path):
    (tmp_path / "transom.lock").unlink()
    assert main([*APPLY, "--bundle-key", "site.pub"]) == 0
    assert [machine.host.source.asked for machine in site.machines.values()] == [[], []]


@pytest.mark.usefixtures("bundle")
@pytest.mark.parametrize(
    "case",
    [
        ([], 2, "nothing says that shop.bundle is the bundle that was meant"),
        (["--bundle-key", "other.pub"], 5, "is not this bundle's signature"),
        (["--lock", "gone.lock"], 2, "there is no gone.lock"),
    ],
)
def test_a_bundle_without_a_lock_and_a_signature_reaches_no_host(site, tmp_path, capsys, case):
    more, code, said = case
    (tmp_path / "transom.lock").unlink()
    assert main([*APPLY, *more]) == code
    assert said in capsys.readouterr().err
    assert all(machine.sessions == 0 for machine in site.machines.values())


@pytest.mark.parametrize("more", [[], ["--bundle-key", "site.pub"]])
def test_a_bundle_with_other_bytes_than_the_lock_reaches_no_host_signed_or_not(
    site, bundle, capsys, more
):
    (kubelet,) = [entry for entry in site.lock.entries if entry.id == "kubelet"]
    bundle.made_by = site.lock.with_entries([replace(kubelet, sha256="0" * 64)])
    assert main([*APPLY, *more]) == 5
    assert "is not of the lock transom.lock: kubelet 1.37.1" in capsys.readouterr().err
    assert all(machine.sessions == 0 for machine in site.machines.values())


def test_a_bundle_with_what_the_lock_does_not_name_is_refused(site, bundle, capsys):
    (kubelet,) = [entry for entry in site.lock.entries if entry.id == "kubelet"]
    bundle.made_by = site.lock.with_entries([replace(kubelet, url="https://elsewhere/kubelet.exe")])
    assert main(APPLY) == 5
    assert "kubelet 1.37.1" in capsys.readouterr().err


def test_a_bundle_of_a_part_of_the_lock_is_enough_where_it_has_what_is_needed(
    site, bundle, tmp_path
):
    image = replace(site.lock.entries[0], id="image", version="registry.corp/more:1")
    (tmp_path / "transom.lock").write_text(write_lock(site.lock.with_entries([image])))
    assert bundle.made_by == site.lock
    assert main(APPLY) == 0


@pytest.mark.usefixtures("bundle")
def test_the_bundle_that_a_fleet_names_is_judged_the_same(site, tmp_path, capsys):
    fleet = tmp_path / "fleet.yaml"
    text = fleet.read_text().replace("\nspec:\n", "\nspec:\n  source: {bundle: shop.bundle}\n")
    fleet.write_text(text)
    (tmp_path / "transom.lock").unlink()
    for command in (["plan", "--no-addons"], ["status"], ["doctor"], ["reset", "--all", "--yes"]):
        assert main(command) == 2, command
        assert "nothing says that" in capsys.readouterr().err
    assert all(machine.sessions == 0 for machine in site.machines.values())
    assert main(["plan", "--no-addons", "--bundle-key", "site.pub"]) == 1


def test_a_file_beside_the_fleet_goes_to_every_host(site, tmp_path):
    """An override by a file of this machine needs no server."""
    (upstream,) = [entry for entry in site.lock.entries if entry.id == "kubelet"]
    found = [machine.host.source.content.pop(upstream.url) for machine in site.machines.values()]
    (tmp_path / "kubelet.exe").write_bytes(found[0])
    own = replace(upstream, url="file:./kubelet.exe")
    others = (entry for entry in site.lock.entries if entry is not upstream)
    (tmp_path / "transom.lock").write_text(write_lock(Lock((*others, own))))
    fleet = tmp_path / "fleet.yaml"
    override = "\nspec:\n  source: {overrides: {kubelet: {file: ./kubelet.exe}}}\n"
    fleet.write_text(fleet.read_text().replace("\nspec:\n", override))
    assert main(["apply", "--yes", "--no-addons"]) == 0
    assert all(machine.is_joined for machine in site.machines.values())


def test_a_signature_that_is_asked_for_is_asked_of_every_host(site, tmp_path, capsys):
    fleet = tmp_path / "fleet.yaml"
    demand = "verify: [{artifact: python, authenticode: {subject: CN=Corp}}]"
    fleet.write_text(fleet.read_text().replace("\nspec:\n", f"\nspec:\n  source: {{{demand}}}\n"))
    assert main(["plan"]) == 3
    said = capsys.readouterr().out
    assert "python.exe" in said
    assert not any(machine.is_joined for machine in site.machines.values())


def test_status_says_what_group_managed_accounts_lack(with_addons, capsys):
    assert main(["apply", "--yes", "--no-addons"]) == 0
    capsys.readouterr()
    assert main(["status"]) == 0
    capsys.readouterr()
    assert main(["status", "--gmsa", "-o", "json"]) == 1
    status = json.loads(capsys.readouterr().out)
    assert [len(host["findings"]) for host in status["hosts"]] == [1, 1]
    assert len(status["findings"]) == 3
    for machine in with_addons.machines.values():
        machine.host.system.member_of = "CORP"
    hooks = [{"name": "admission-webhook.windows-gmsa.sigs.k8s.io"}]
    present = tuple(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": {"name": "gmsa-webhook"},
            "webhooks": hooks,
        }
        for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    )
    served = [*SERVED, resource_of("windows.k8s.io/v1", "GMSACredentialSpec")]
    with_addons.objects = MemoryCluster(present, served=served)
    assert main(["status", "--gmsa"]) == 0


def test_a_plan_says_who_waits_for_a_wave_and_whose_pods_leave(site, capsys):
    assert main(["apply", "--yes"]) == 0
    machines = site.machines
    machines["win-01"].host.files.write(r"C:\k\kubelet.exe", b"another")
    machines["win-02"].host.files.write(r"C:\k\flanneld.exe", b"another")
    capsys.readouterr()
    main(["plan"])
    out = capsys.readouterr().out
    assert "win-01 (pool web): 1 change, disruption kubelet-restart, in its wave" in out
    assert "win-02 (pool web): 1 change, disruption pods-stop, after its pods have left" in out
    assert "Waves: each is drained where pods would feel it, changed and awaited" in out


def test_an_adopted_node_that_is_as_its_recipe_runs_the_add_ons_from_the_next_apply(site):
    """Another tool put the same programs there: an adoption does not look at them, an apply does."""
    assert main(["apply", "--yes"]) == 0
    forget_transom(site.machines["win-01"].host)
    site.api.held_nodes["win-01"] = replace(site.api.held_nodes["win-01"], labels={})
    assert main(["adopt", "--host", "win-01", "--yes"]) == 0
    assert not PREPARED.keys() & site.api.held_nodes["win-01"].labels.keys()
    assert main(["apply", "--host", "win-01", "--yes"]) == 0
    assert site.api.held_nodes["win-01"].labels == {FLEET: "shop", **PREPARED}
