"""`transom capi template`: flags, what is shown of the control plane, and what was before Cluster API."""

import json
import re

import pytest
import yaml

from transom.cli.commands.capi.template import fill
from transom.cli.main import main
from transom.facts.capi import Provider
from transom.facts.rows import At, one


def run(capsys, *options):
    code = main(["capi", "template", *options])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_what_the_control_plane_of_an_existing_cluster_needs_is_shown_and_is_no_object(capsys):
    options = ["--provider", "azure", "--kubernetes", "1.22.17", "--mtu", "1400"]
    code, out, _err = run(capsys, *options)
    assert code == 0
    comments = [line for line in out.splitlines() if line.startswith("#")]
    assert any("WindowsHostProcessContainers is off by default in 1.22.17" in c for c in comments)
    shown = "\n".join(line.removeprefix("# ") for line in comments)
    assert "mtu 1400" in shown
    parts = [yaml.safe_load(part) for part in re.findall(r"^kubeadmConfigSpec:\n(?:  .*\n)+", shown + "\n", re.MULTILINE)]  # fmt: skip
    assert len(parts) == 2
    kinds = {item["kind"] for item in yaml.safe_load_all(out)}
    assert "KubeadmControlPlane" not in kinds


def test_a_fleet_with_an_overlay_on_azure_brings_its_mtu(capsys, locked_site):
    options = ["-f", str(locked_site / "fleet.yaml"), "--program-url", "https://f/node.pyz"]
    code, out, err = run(capsys, "--provider", "azure", *options)
    assert code == 0, err
    assert f"mtu {one(Provider, 'provider-azure', At()).link_mtu}" in out
    assert "ClusterResourceSet" in out
    code, out, _err = run(capsys, "--provider", "vsphere", *options)
    assert (code, "ip link set" in out) == (0, False)


def test_dockershim_is_rendered_for_versions_that_have_it_and_refused_for_others(capsys):
    legacy = ["--provider", "azure", "--legacy", "dockershim", "--windows", "2019"]
    code, out, _err = run(capsys, *legacy, "--kubernetes", "1.22.17", "--contract", "v1beta1")
    assert code == 0
    assert "npipe:////./pipe/docker_engine" in out
    assert "runtime: dockershim" in out
    for options in (
        ["--kubernetes", "1.24.0"],
        [],
        ["--kubernetes", "1.22.17", "--windows", "2022"],
    ):
        code, _out, err = run(capsys, *legacy, *options)
        assert code == 3
        assert "before 1.24 on Windows Server 2019" in err


def test_the_retired_engine_gets_its_own_model_with_its_own_versions(capsys):
    code, out, _err = run(capsys, "--provider", "acs-engine", "--set", "DNS_PREFIX=shop")
    assert code == 0
    model = json.loads(out)["properties"]
    assert model["orchestratorProfile"]["orchestratorVersion"] == "1.11.3"
    assert model["masterProfile"]["dnsPrefix"] == "shop"
    assert [pool["osType"] for pool in model["agentPoolProfiles"]] == ["Windows"]
    code, _out, err = run(capsys, "--provider", "acs-engine", "--kubernetes", "1.37.1")
    assert code == 3
    assert "1.9 to 1.12" in err


def test_a_rollout_and_a_user_are_as_asked(capsys):
    options = ["--max-surge", "0", "--max-unavailable", "2", "--ssh-user", "ops"]
    _code, out, _err = run(capsys, "--provider", "gcp", *options)
    documents = {item["kind"]: item for item in yaml.safe_load_all(out)}
    rolling = documents["MachineDeployment"]["spec"]["rollout"]["strategy"]["rollingUpdate"]
    assert rolling == {"maxSurge": 0, "maxUnavailable": 2}
    users = documents["KubeadmConfigTemplate"]["spec"]["template"]["spec"]["users"]
    assert [user["name"] for user in users] == ["ops"]


def test_variables_are_filled_from_flags(capsys):
    options = ["--set", "CLUSTER_NAME=shop", "--set", "WINDOWS_WORKER_MACHINE_COUNT=3"]
    code, out, _err = run(capsys, "--provider", "openstack", *options)
    assert code == 0
    documents = list(yaml.safe_load_all(out))
    deployment = next(item for item in documents if item["kind"] == "MachineDeployment")
    assert deployment["metadata"]["name"] == "shop-md-win"
    assert deployment["spec"]["replicas"] == 3
    assert deployment["spec"]["template"]["spec"]["version"] == "${KUBERNETES_VERSION}"


@pytest.mark.parametrize(
    ("text", "filled"),
    [("${A}", "x"), ("${A:=y}", "x"), ("${B:=y}", "${B:=y}"), ("${B:=${A}}", "${B:=x}"),
     ("${B:=${A}-vnet}", "${B:=x-vnet}"), ("${B}", "${B}")],
)  # fmt: skip
def test_a_variable_is_filled_also_in_the_default_of_another(text, filled):
    assert fill(text, {"A": "x"}) == filled


def test_a_version_that_is_none_is_a_mistake(capsys):
    code, _out, err = run(capsys, "--provider", "azure", "--kubernetes", "new")
    assert code == 2
    assert "no version" in err


def test_images_are_listed_with_their_version(capsys):
    assert (
        main(["image", "list", "--platform", "azure", "--kubernetes", "1.37.1", "-o", "json"]) == 0
    )
    items = json.loads(capsys.readouterr().out)["items"]
    assert {item["windows"] for item in items} == {"2019", "2022", "2025"}
    assert all(item["reference"].endswith("/1.37.1") for item in items)
    assert main(["image", "list", "--platform", "qemu"]) == 0
    assert "nobody publishes" in capsys.readouterr().out
