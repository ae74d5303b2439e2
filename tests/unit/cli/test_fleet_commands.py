"""`plan` and `apply` as a person runs them, on simulated hosts and a cluster in memory."""

import json
import xml.etree.ElementTree as ET

import pytest
from tests.simulation import NET_CONF, Simulation, config_maps, fleet_text

from transom.cli import fleet_access
from transom.cli.main import main
from transom.recipe.lock_document import write_lock


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A simulation, a fleet file and a lock for it, and the doors between them."""
    monkeypatch.chdir(tmp_path)
    simulation = Simulation()
    (tmp_path / "fleet.yaml").write_text(fleet_text(2))
    (tmp_path / "transom.lock").write_text(write_lock(simulation.lock))
    monkeypatch.setattr(fleet_access, "doors_of", lambda *_: simulation.doors())
    return simulation


@pytest.mark.usefixtures("site")
def test_a_plan_groups_hosts_that_get_the_same_and_counts_them(capsys):
    assert main(["plan"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("win-01, win-02 (pool web): joins the cluster, ")
    assert "disruption reboot" in out
    assert "Join the cluster (network-blip)" in out
    assert out.splitlines()[-1].startswith("Total: 2 hosts: 2 to change (")


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
    import io

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    assert main(["apply"]) == 2
    assert "not confirmed; nothing was changed" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", Terminal("yes\n"))
    assert main(["apply"]) == 0
    assert all(machine.is_joined for machine in site.machines.values())
