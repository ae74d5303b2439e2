"""Templates of Cluster API: whole, obeying the facts, and boot data our linter has nothing against."""

import json

import pytest
import yaml
from tests.contract.capi import FILES, name_of, objects_of, wishes

from transom.bootstrap.lint import Origin, lint
from transom.bootstrap.machine import Machine
from transom.capi.template import template
from transom.capi.wish import Wish
from transom.errors import UnsupportedError
from transom.model.version import Version

OLD = Version.parse("1.22.17")


def references(value):
    """Every reference to an object inside a value."""
    if isinstance(value, dict):
        if "kind" in value and "name" in value and not value.keys() - {
            "kind", "name", "apiGroup", "apiVersion",
        }:  # fmt: skip
            yield value["kind"], value["name"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


@pytest.mark.parametrize("wish", wishes(), ids=name_of)
def test_a_template_is_whole_and_its_references_lead_somewhere(wish):
    objects = objects_of(wish)
    names = {(item["kind"], item["metadata"]["name"]) for item in objects}
    assert len(names) == len(objects)
    missing = {found for item in objects for found in references(item.get("spec", {}))} - names
    # What is outside: credentials, which a class leaves to its clusters.
    assert missing <= {("Secret", "shop")} | (
        set() if wish.whole else {("AzureClusterIdentity", "identity")}
    )
    assert "${" not in json.dumps(objects)


def of_kind(wish, kind):
    return [item for item in template(wish) if item["kind"] == kind]


@pytest.mark.parametrize("files", [FILES, ()], ids=["prepared", "image"])
def test_the_commands_around_the_join_are_nothing_to_complain_about(files):
    """As Cluster API renders them: ours before, its own join, ours after."""
    (item,) = of_kind(Wish(provider="azure", files=files), "KubeadmConfigTemplate")
    config = item["spec"]["template"]["spec"]
    join = r"kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml && echo success > /run/cluster-api/bootstrap-success.complete"
    commands = [*config["preKubeadmCommands"], join, *config["postKubeadmCommands"]]
    secret = {"path": r"C:\run\kubeadm\kubeadm-join-config.yaml", "content": "token: abcdef.0123456789abcdef"}  # fmt: skip
    text = "#cloud-config\n" + yaml.safe_dump({"write_files": [secret], "runcmd": commands})
    found = lint(text.encode(), Machine(), Origin("x")).findings
    assert [finding.rule for finding in found] == ["BOOT045"]


def test_a_provider_without_pools_says_so():
    with pytest.raises(UnsupportedError, match="no machine pools"):
        template(Wish(provider="proxmox", flavor="machinepool"))


@pytest.mark.parametrize("contract", ["v1beta1", "v1beta2"])
def test_a_gate_that_is_off_is_set_on_the_control_plane_and_the_kubelets(contract):
    wish = Wish(provider="azure", whole=True, contract=contract, kubernetes=OLD)
    (plane,) = of_kind(wish, "KubeadmControlPlane")
    server = plane["spec"]["kubeadmConfigSpec"]["clusterConfiguration"]["apiServer"]["extraArgs"]
    gate = "WindowsHostProcessContainers=true"
    assert server == (
        {"feature-gates": gate}
        if contract == "v1beta1"
        else [{"name": "feature-gates", "value": gate}]
    )
    windows = of_kind(wish, "KubeadmConfigTemplate")[-1]
    assert gate in json.dumps(windows)


@pytest.mark.parametrize("version", ["1.21.14", "1.23.17", "1.37.1"])
def test_a_gate_that_is_on_or_unknown_leaves_the_control_plane_alone(version):
    wish = Wish(provider="azure", whole=True, kubernetes=Version.parse(version))
    assert "feature-gates" not in json.dumps(template(wish))


def test_the_mtu_is_that_of_every_linux_machine_and_of_no_windows_one():
    wish = Wish(provider="azure", whole=True, mtu=1400)
    command = "ip link set dev ${LINUX_INTERFACE:=eth0} mtu 1400"
    (plane,) = of_kind(wish, "KubeadmControlPlane")
    assert plane["spec"]["kubeadmConfigSpec"]["preKubeadmCommands"] == [command]
    linux, windows = of_kind(wish, "KubeadmConfigTemplate")
    assert linux["spec"]["template"]["spec"]["preKubeadmCommands"] == [command]
    assert command not in json.dumps(windows)


def test_a_known_version_names_the_published_image():
    wish = Wish(provider="azure", kubernetes=Version.parse("1.37.1"), windows="2025")
    (machine,) = of_kind(wish, "AzureMachineTemplate")
    image = machine["spec"]["template"]["spec"]["image"]["computeGallery"]
    assert (image["name"], image["version"]) == ("capi-win-2025-containerd", "1.37.1")


EXTERNAL = {"cloud-provider": "external"}
MATCHED = {
    "azure": EXTERNAL,
    "aws": EXTERNAL,
    "gcp": EXTERNAL,
    "vsphere": EXTERNAL,
    "openstack": {**EXTERNAL, "provider-id": "openstack:///{{ instance_id }}"},
    "proxmox": {"provider-id": "proxmox://{{ ds.meta_data.instance_id }}"},
}


def kubelets(value):
    """The kubelet's arguments of every registration inside a value."""
    if isinstance(value, dict):
        if "nodeRegistration" in value:
            extra = value["nodeRegistration"].get("kubeletExtraArgs", {})
            pairs = extra.items() if isinstance(extra, dict) else [e.values() for e in extra]
            yield dict(pairs)
        for inner in value.values():
            yield from kubelets(inner)


@pytest.mark.parametrize("contract", ["v1beta2", "v1beta1"])
@pytest.mark.parametrize("provider", MATCHED)
def test_every_node_tells_which_machine_it_is(provider, contract):
    """Cluster API finds a machine's Node by its providerID alone, and replaces a machine without one."""
    wish = Wish(provider=provider, contract=contract, whole=True)
    found = [args for item in template(wish) for args in kubelets(item.get("spec", {}))]
    assert len(found) == 4  # the control plane's first and others, Linux, Windows
    for arguments in found:
        assert arguments.items() >= MATCHED[provider].items()
    (plane,) = of_kind(wish, "KubeadmControlPlane")
    assert ("external" in json.dumps(plane)) == ("cloud-provider" in MATCHED[provider])
