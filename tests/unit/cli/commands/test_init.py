"""`transom init`: what it writes is a fleet, and lists of hosts are read as they are."""

import io
from dataclasses import replace

import pytest
import yaml
from tests.simulation import Simulation, config_maps

from transom.cli.main import main
from transom.cli.options import cluster_access, fleet_file
from transom.fleet.work.labels import FLEET
from transom.kube.api import Node
from transom.model.fleet import AzureCNISpec, CalicoSpec, NetworkMode
from transom.spec.fleet import read_fleets


@pytest.fixture
def api(tmp_path, monkeypatch):
    """A cluster with one Windows node, and a folder to write to."""
    monkeypatch.chdir(tmp_path)
    api = Simulation(1).api
    api.held_nodes["win-09"] = Node(
        name="win-09",
        ready=True,
        system="windows",
        kernel="10.0.26100.1742",
        addresses=("10.0.0.99",),
    )
    api.held_nodes["linux"] = Node(name="linux", ready=True, system="linux")
    monkeypatch.setattr(cluster_access, "open_api", lambda *_: api)
    return api


def written(tmp_path):
    (fleet,) = read_fleets((tmp_path / "fleet.yaml").read_bytes(), name="fleet.yaml")
    return fleet


@pytest.mark.usefixtures("api")
def test_the_file_is_a_fleet_with_the_clusters_network(tmp_path, capsys):
    assert main(["init", "--name", "shop"]) == 0
    assert "transom lock" in capsys.readouterr().out
    fleet = written(tmp_path)
    assert (fleet.name, fleet.kubernetes.version) == ("shop", "1.37.1")
    assert fleet.network.pod_cidrs == ("10.244.0.0/16",)
    assert (fleet.network.plugin.mode, fleet.network.plugin.vni) == (NetworkMode.OVERLAY, 4096)
    assert main(["init"]) == 2
    assert "--force" in capsys.readouterr().err


@pytest.mark.usefixtures("api")
@pytest.mark.parametrize("file", ["fleet.yaml", "shop/fleet.yaml"])
def test_the_kubeconfig_that_was_named_is_the_one_that_the_file_names(tmp_path, file):
    (tmp_path / "shop").mkdir()
    assert main(["init", "-f", file, "--kubeconfig", "admin.conf", "--yes"]) == 0
    (fleet,) = fleet_file.read(file)
    assert fleet.cluster.kubeconfig is not None
    assert (tmp_path / fleet.cluster.kubeconfig).resolve() == (tmp_path / "admin.conf").resolve()


@pytest.mark.usefixtures("api")
def test_the_clusters_own_windows_nodes_can_be_the_hosts(tmp_path):
    assert main(["init", "--hosts-from", "nodes", "--yes"]) == 0
    (host,) = written(tmp_path).hosts
    assert (host.name, host.address, host.windows.release) == ("win-09", "10.0.0.99", "ltsc2025")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,address\nwin-01,a,b\n,10.0.0.1\nWIN-01,c\nwin-01,d\n", "line 4 names WIN-01"),
        ("name\na,b\n,\n", "line 2 has more values than there are columns"),
        ("name,address\n,10.0.0.1\na,b\n", "line 2 names no host"),
        ("name\n\n", "has no hosts"),
        ("name,pool\nwin-01,My Pool\n", "spec.hosts[0].pool"),
        ("name,port\nwin-01,'}]\n", "spec.hosts[0].host.connection.ssh.port"),
    ],
)
@pytest.mark.usefixtures("api")
def test_a_list_that_would_make_no_fleet_is_refused_and_nothing_is_written(
    text, said, tmp_path, capsys
):
    (tmp_path / "hosts.csv").write_text(text.replace("win-01,a,b\n", "win-01,a\n"))
    assert main(["init", "--hosts-from", "csv:hosts.csv", "--yes"]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "fleet.yaml").exists()


@pytest.mark.usefixtures("api")
def test_a_name_that_no_fleet_can_have_is_refused(tmp_path, capsys):
    assert main(["init", "--name", "My Fleet: x"]) == 2
    assert "--name must be another than 'My Fleet: x'" in capsys.readouterr().err
    assert not (tmp_path / "fleet.yaml").exists()


@pytest.mark.parametrize(("name", "count"), [("shop", 1), ("another", 0)])
def test_nodes_of_another_fleet_are_not_its_hosts(api, tmp_path, name, count):
    api.held_nodes["win-09"] = replace(api.held_nodes["win-09"], labels={FLEET: "shop"})
    assert main(["init", "--hosts-from", "nodes", "--name", name]) == 0
    assert len(written(tmp_path).hosts) == count


INI = """
[web]
win-01 ansible_host=10.0.0.21 ansible_user=CORP\\admin ansible_password=hunter2
win-02.corp.example   # its own name is its address
[web:vars]
ansible_connection=ssh
"""
YAML = """
all:
  children:
    web:
      hosts:
        win-01: {ansible_host: 10.0.0.21}
        win-02.corp.example:
"""
LISTED = """
{"_meta": {"hostvars": {"win-01": {"ansible_host": "10.0.0.21", "ansible_password": "hunter2"},
                        "win-02.corp.example": {}}},
 "all": {"children": ["ungrouped", "web"]},
 "web": {"hosts": ["win-01", "win-02.corp.example"]}}
"""
CSV = "name, address, pool, port\nwin-01, 10.0.0.21, web, 2222\nwin-02, win-02.corp.example, web,\n"


@pytest.mark.parametrize(
    ("kind", "text"),
    [("ansible", INI), ("ansible", YAML), ("ansible", LISTED), ("csv", CSV)],
    ids=["ini", "yaml", "ansible-inventory --list", "csv"],
)
@pytest.mark.usefixtures("api")
def test_hosts_come_from_a_list_and_no_secret_with_them(tmp_path, kind, text):
    (tmp_path / "list").write_text(text)
    assert main(["init", "--hosts-from", f"{kind}:list"]) == 0
    fleet = written(tmp_path)
    assert [(host.name, host.address, host.pool) for host in fleet.hosts] == [
        ("win-01", "10.0.0.21", "web"),
        ("win-02", "win-02.corp.example", "web"),
    ]
    assert "hunter2" not in (tmp_path / "fleet.yaml").read_text()


GROUPED = """
[web]
win-[08:10].corp ansible_user='CORP\\admin'
win-[a:c:2]
[web:vars]
ansible_port = 2222 ; of all
[old]
win-99 ansible_connection=winrm ansible_port=5986
[all:vars]
ansible_user=ops
"""


@pytest.mark.usefixtures("api")
def test_ranges_and_variables_of_groups_in_an_inventory_are_understood(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(GROUPED))
    assert main(["init", "--hosts-from", "ansible:-", "--yes"]) == 0
    hosts = written(tmp_path).hosts
    names = ["win-08", "win-09", "win-10", "win-a", "win-c", "win-99"]
    assert [host.name for host in hosts] == names
    ways = [host.connection for host in hosts]
    assert [way.user for way in ways if way] == [r"CORP\admin"] * 3 + ["ops"] * 3
    assert [way.port for way in ways if way] == [2222] * 5 + [5986]
    assert [way.transport for way in ways if way] == ["ssh"] * 5 + ["winrm"]


@pytest.mark.parametrize("words", ["nonsense", "csv:", "csv:missing", "ansible:empty", "csv:wrong"])
@pytest.mark.usefixtures("api")
def test_a_list_that_cannot_be_read_is_told(tmp_path, words, capsys):
    (tmp_path / "empty").write_text("")
    (tmp_path / "wrong").write_text("host\nwin-01\n")
    assert main(["init", "--hosts-from", words]) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert not (tmp_path / "fleet.yaml").exists()


@pytest.mark.parametrize(
    ("found", "plugin"),
    [
        (("calico-node", "Always"), CalicoSpec(mode=NetworkMode.OVERLAY)),
        (("calico-node", "Never"), CalicoSpec(mode=NetworkMode.L2BRIDGE)),
        (("calico-node", "CrossSubnet"), CalicoSpec()),
        (("azure-cns", "Never"), AzureCNISpec()),
    ],
)
def test_other_networks_are_known_by_what_runs_on_the_linux_nodes(api, tmp_path, found, plugin):
    daemon_set, vxlan = found
    pool = {
        "apiVersion": "crd.projectcalico.org/v1",
        "kind": "IPPool",
        "metadata": {"name": "default"},
        "spec": {"cidr": "10.244.0.0/16", "vxlanMode": vxlan, "ipipMode": "Never"},
    }
    api.door.put(pool)
    api.config_maps = config_maps(None)
    api.held_daemon_sets = ({"metadata": {"name": daemon_set, "namespace": "kube-system"}},)
    assert main(["init", "--yes"]) == 0
    assert written(tmp_path).network.plugin == plugin


def test_a_network_that_cannot_be_told_is_left_to_the_person(api, tmp_path):
    api.config_maps = config_maps(None)
    assert main(["init"]) == 0
    text = (tmp_path / "fleet.yaml").read_text()
    assert "cannot tell the cluster's pod network" in text
    assert "FILL-IN" in text


def test_the_rights_are_printed_with_approval_and_addons_as_roles_of_their_own(capsys):
    assert main(["init", "--print-rbac"]) == 0
    roles = {item["metadata"]["name"]: item for item in yaml.safe_load_all(capsys.readouterr().out)}
    assert set(roles) == {"transom-fleet", "transom-tokens", "transom-addons", "transom-approve"}
    assert not any("secrets" in rule["resources"] for rule in roles["transom-fleet"]["rules"])
    assert not any("approve" in rule["verbs"] for rule in roles["transom-fleet"]["rules"])
