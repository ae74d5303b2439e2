"""One machine by its ADDRESS, as a person works on it: what is printed, and the exit codes."""

import io
import json

import pytest
from tests.simulation import AUTHORITY, forget_transom, python_archive
from tests.support.fleet import World
from tests.support.node import KUBERNETES

from transom.cli.main import main
from transom.cli.options import cluster_access, host_access
from transom.fleet.on_host.program import Brought, own_program
from transom.kube.api import Pod
from transom.site import node_program, pinning

ADDRESS = "10.0.0.21"


@pytest.fixture
def world(monkeypatch, tmp_path):
    """A simulated machine and its cluster behind the command line's doors."""
    monkeypatch.chdir(tmp_path)
    world = World()

    async def close():
        """The cluster is asked again by the next command."""

    monkeypatch.setattr(world.api, "close", close)
    monkeypatch.setattr(cluster_access, "open_api", lambda *_: world.api)
    monkeypatch.setattr(host_access, "connect_of", lambda _args: world.reach)
    monkeypatch.setattr(pinning, "complete_lock", lambda _path, fleet, *_: world.pin(fleet))
    monkeypatch.setattr(
        node_program, "brought_of", lambda *_: Brought(python_archive(), own_program())
    )
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return world


@pytest.fixture
def theirs(world, capsys):
    """A node that somebody else made, of an older version."""
    assert main(["join", ADDRESS, "--kubernetes", "1.36.4"]) == 0
    world.host.files.write(KUBERNETES + r"\pki\ca.crt", AUTHORITY)
    forget_transom(world.host)
    capsys.readouterr()
    return world


def test_a_machine_joins_once_and_each_line_of_progress_names_it(world, capsys):
    assert main(["join", ADDRESS]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(
        "win-01 is Ready: Kubernetes 1.37.1, Windows Server 2022, containerd "
    )
    assert " steps changed, " in said.out
    lines = said.err.splitlines()
    assert all(ADDRESS in line for line in lines)
    assert any(line.endswith("changed  Join the cluster") for line in lines)
    assert main(["join", ADDRESS, "-o", "json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["kind"], again["node"], again["ready"]) == ("JoinResult", "win-01", True)
    assert (again["changed"], again["notes"], again["notApplied"]) == ([], [], [])
    assert world.open_sessions == 0


def test_another_address_of_the_node_reaches_a_joined_machine(world, capsys):
    assert main(["join", ADDRESS]) == 0
    capsys.readouterr()
    assert main(["join", ADDRESS, "--node-ip", "10.0.0.99"]) == 0
    said = capsys.readouterr()
    assert "win-01 is Ready" in said.out
    assert "Register and start services" in said.err
    assert world.is_joined


def test_a_machine_that_cannot_is_refused_with_every_reason(world, capsys):
    world.host.system.admin = False
    world.host.system.free = 1
    assert main(["join", ADDRESS]) == 3
    said = capsys.readouterr().err
    assert "host win-01 is refused for 2 reasons" in said
    assert not world.is_joined


def test_a_machine_that_must_reboot_first_can_be_tried_again(world, capsys):
    world.host.features.need_reboot.add("Containers")
    assert main(["join", ADDRESS]) == 4
    assert "--reboot" in capsys.readouterr().err
    assert main(["join", ADDRESS, "--reboot"]) == 0
    assert world.reboots == 1


def test_a_machine_is_upgraded_after_its_pods_have_left(world, capsys):
    assert main(["join", ADDRESS, "--kubernetes", "1.36.4"]) == 0
    key = ("shop", "web-1")
    world.api.pods[key] = Pod(namespace="shop", name="web-1", node="win-01", controller="Job")
    capsys.readouterr()
    assert main(["upgrade", ADDRESS, "-o", "json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["before"], done["kubernetes"], done["anew"]) == ("1.36.4", "1.37.1", False)
    assert world.api.pods == {}
    assert main(["upgrade", ADDRESS]) == 0
    assert "win-01 is Ready on 1.37.1; nothing to change" in capsys.readouterr().out


def test_what_is_no_node_is_not_upgraded(world, capsys):
    assert main(["upgrade", ADDRESS]) == 2
    assert "nothing to upgrade" in capsys.readouterr().err
    assert world.orders == []


def test_a_node_of_somebody_else_is_adopted_and_its_plan_shown(theirs, capsys):
    assert main(["adopt", ADDRESS]) == 0
    said = capsys.readouterr().out
    assert said.startswith("win-01 is adopted, Kubernetes 1.36.4; nothing was changed")
    assert "`transom upgrade` would change:" in said
    assert main(["adopt", ADDRESS, "-o", "json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["node"], again["isNew"]) == ("win-01", False)
    assert again["planned"]
    assert theirs.is_joined


def test_a_machine_is_reset_only_where_that_is_confirmed(world, capsys):
    before = world.tree()
    assert main(["join", ADDRESS]) == 0
    assert main(["reset", ADDRESS]) == 2
    assert world.is_joined
    capsys.readouterr()
    assert main(["reset", ADDRESS, "--yes"]) == 0
    said = capsys.readouterr().out
    assert "win-01 is reset: " in said
    assert ", its Node is deleted; " in said
    assert world.tree() == before
    assert main(["reset", ADDRESS, "--yes"]) == 0
    assert f"{ADDRESS} has nothing of Transom; nothing was changed" in capsys.readouterr().out


def test_what_force_would_take_is_listed_first(theirs, capsys):
    assert main(["reset", ADDRESS, "--force"]) == 2
    assert "service            kubelet" in capsys.readouterr().err
    assert theirs.is_joined
    assert main(["reset", ADDRESS, "--force", "--yes"]) == 0
    assert "its Node is deleted" in capsys.readouterr().out
    assert not theirs.is_joined


def test_the_holder_of_a_cordon_is_the_person_at_this_machine(world, monkeypatch):
    from transom.cli.options import fleet_access
    from transom.fleet.work.cordon import cordon_of

    monkeypatch.setattr(fleet_access, "holder", lambda: "ann@laptop")
    main(["join", ADDRESS, "--kubernetes", "1.36.4"])
    seen, mark = [], world.api.set_unschedulable

    async def looked(name, *, unschedulable, annotations=None):
        await mark(name, unschedulable=unschedulable, annotations=annotations)
        seen.append(cordon_of(world.api.held_nodes[name]))

    world.api.set_unschedulable = looked
    assert main(["upgrade", ADDRESS]) == 0
    held, after = seen
    assert held is not None
    assert (held.holder, held.verb, after) == ("ann@laptop", "upgrade", None)
