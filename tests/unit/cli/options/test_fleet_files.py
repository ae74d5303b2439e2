"""`-f` repeats, takes files, folders and `-`; a Client is found in them, by --client, or at home."""

import argparse

import pytest

from transom.cli.options import fleet_file
from transom.errors import InvalidDocument, UsageError
from transom.model.fleet import FromFile

FLEET = """\
apiVersion: transom.dev/v1alpha2
kind: Fleet
metadata: {name: shop}
spec:
  network: {type: Flannel, podCIDRs: [10.244.0.0/16], serviceCIDRs: [10.96.0.0/12]}
  defaults: {windows: {release: ltsc2022}, connection: {credentialName: key}}
"""
CLIENT = """\
apiVersion: client.transom.dev/v1alpha1
kind: Client
fleets:
- {fleetName: shop, kubeconfig: kube, credentials: [{name: key, file: id}]}
"""


def host(name):
    head = "apiVersion: transom.dev/v1alpha2\nkind: WindowsHost\n"
    return f"{head}metadata: {{name: {name}}}\nspec: {{fleetName: shop}}\n"


def files(*arguments):
    parser = argparse.ArgumentParser()
    fleet_file.add_argument(parser)
    return parser.parse_args([str(each) for each in arguments]).filename


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "transom"


@pytest.fixture
def site(tmp_path):
    (tmp_path / "site" / "hosts").mkdir(parents=True)
    (tmp_path / "site" / "fleet.yaml").write_text(FLEET)
    (tmp_path / "site" / "kustomization.yaml").write_text("resources: [fleet.yaml]\n")
    (tmp_path / "site" / "notes.txt").write_text("not ours")
    for name in ("b", "a"):
        (tmp_path / "site" / "hosts" / f"{name}.yml").write_text(host(name))
    return tmp_path / "site"


def test_folders_and_files_are_one_fleet_and_files_of_a_folder_come_by_name(site):
    (fleet,) = fleet_file.read(files("-f", site, "-f", site / "hosts"))
    assert [each.name for each in fleet.hosts] == ["a", "b"]


def test_without_f_it_is_fleet_yaml():
    assert files().names == ("fleet.yaml",)
    assert files("--client", "me.yaml").names == ("fleet.yaml",)


def test_the_files_can_be_given_to_another_command():
    given = files("-f", "a b", "-f", "-", "--client", "me.yaml")
    assert given.options == "-f 'a b' -f - --client me.yaml"


def test_a_folder_without_documents_says_so(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"has no file that ends in \.yaml or \.yml"):
        fleet_file.read(files("-f", tmp_path / "empty"))


def test_a_mistake_names_its_own_file(site):
    (site / "hosts" / "b.yml").write_text(host("b").replace("shop", "shopp"))
    with pytest.raises(InvalidDocument) as caught:
        fleet_file.read(files("-f", site, "-f", site / "hosts"))
    assert [each.file for each in caught.value.mistakes] == [str(site / "hosts" / "b.yml")]


def test_paths_of_a_client_begin_at_its_own_file(site, home):
    home.mkdir(parents=True)
    (home / "client.yaml").write_text(CLIENT)
    (fleet,) = fleet_file.read(files("-f", site, "-f", site / "hosts"))
    assert fleet.cluster.kubeconfig == str(home / "kube")
    ways = [each.connection for each in fleet.hosts]
    assert [way.credential if way else None for way in ways] == [FromFile(str(home / "id"))] * 2


def test_a_client_that_is_named_comes_first(site, home, tmp_path):
    home.mkdir(parents=True)
    (home / "client.yaml").write_text(CLIENT)
    (tmp_path / "mine.yaml").write_text(CLIENT.replace("kube,", "other,"))
    (fleet,) = fleet_file.read(files("-f", site, "--client", tmp_path / "mine.yaml"))
    assert fleet.cluster.kubeconfig == str(tmp_path / "other")


def test_a_named_client_file_holds_clients_only(site, tmp_path):
    (tmp_path / "mine.yaml").write_text(FLEET)
    with pytest.raises(InvalidDocument) as caught:
        fleet_file.read(files("-f", site, "--client", tmp_path / "mine.yaml"))
    assert caught.value.mistakes[0].message == "this is a `Fleet`, and a `Client` is wanted"
