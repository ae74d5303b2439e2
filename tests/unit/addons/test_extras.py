"""What is asked for with --with, and how all of it is wrapped for Cluster API."""

import re
from dataclasses import replace

import pytest
import yaml
from tests.unit.addons.golden import DATA, found, golden_setting

from transom.addons import delivery
from transom.addons.catalogue import EXTRAS, render
from transom.addons.pipe_policy import pipe_policy
from transom.addons.setting import setting_of
from transom.cli.options import extras as command
from transom.errors import UnsupportedError
from transom.model.version import Version
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

CURRENT = golden_setting("k137-2022-containerd-flannel-overlay")
WINS = golden_setting("k120-2019-docker-wins-overlay")


def test_the_command_offers_every_extra():
    assert tuple(EXTRAS) == command.EXTRAS


@pytest.mark.parametrize("name", ["windows-exporter", "csi-proxy"])
def test_an_extra_is_there_when_asked_for_and_where_host_process_is(name):
    assert name not in {item["metadata"]["name"] for item in render(CURRENT)}
    pod = found(render(CURRENT, [name]), "DaemonSet", name)["spec"]["template"]["spec"]
    assert pod["securityContext"]["windowsOptions"]["hostProcess"] is True
    with pytest.raises(UnsupportedError, match="by services"):
        render(golden_setting("k137-2022-containerd-services"), [name])


def test_the_csi_proxy_that_is_installed_has_no_known_hole():
    """CVE-2023-3893: up to 1.1.2 whoever may create pods becomes administrator of the node."""
    for setting in (CURRENT, replace(CURRENT, kubernetes=Version.parse("1.24.17"))):
        pod = found(render(setting, ["csi-proxy"]), "DaemonSet", "csi-proxy")["spec"]["template"]
        (container,) = pod["spec"]["containers"]
        assert Version.parse(container["image"].rpartition(":v")[2]) >= Version.parse("1.1.3")


def test_a_legacy_cluster_restricts_the_pipe_by_a_pod_security_policy():
    made = pipe_policy(WINS)
    ours = found(made, "PodSecurityPolicy", "transom-wins-pipe")["spec"]
    assert ours["privileged"] is False
    assert [path["pathPrefix"] for path in ours["allowedHostPaths"]] == [
        "\\\\.\\pipe\\rancher_wins",
        "C:\\k",
    ]
    others = found(made, "PodSecurityPolicy", "transom-no-host")["spec"]
    assert "hostPath" not in others["volumes"]
    binding = found(made, "RoleBinding", "transom-wins-pipe")
    assert binding["metadata"]["namespace"] == "transom-system"


def test_a_current_one_by_an_admission_policy_that_knows_every_spelling():
    policy = found(pipe_policy(CURRENT), "ValidatingAdmissionPolicy", "transom-wins-pipe")
    (rule,) = policy["spec"]["validations"]
    (said,) = re.findall(r"matches\('(.+)'\)", rule["expression"])
    pattern = said.replace("\\\\", "\\")
    for pipe in (r"\\.\pipe\rancher_wins", "//./pipe/x", r"\\?\pipe\x"):
        assert re.search(pattern, pipe.lower()), pipe
    for path in (r"C:\k", "/var/pipe/x", r"\\server\pipe\x"):
        assert not re.search(pattern, path.lower()), path


def test_between_the_two_pod_security_is_named():
    with pytest.raises(UnsupportedError) as error:
        pipe_policy(replace(CURRENT, kubernetes=Version(1, 27)))
    assert "baseline" in error.value.hint


def test_through_wins_each_build_has_pods_of_its_own_image():
    proxy = found(render(WINS), "DaemonSet", "kube-proxy-windows-2019")
    pod = proxy["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["image"].endswith("nanoserver:1809")
    assert pod["nodeSelector"]["node.kubernetes.io/windows-build"] == "10.0.17763"
    assert container["command"] == [
        r"C:\k\wins.exe",
        "cli",
        "process",
        "run",
        "--path",
        r"C:\k\transom\python\python.exe",
        "--args",
        r"C:\k\transom\node.pyz run kube-proxy --home C:\k\transom",
    ]
    mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
    assert mounts[r"C:\k"]["readOnly"] is True


def test_a_resource_set_carries_the_same_objects():
    manifests = render(CURRENT)
    bundle = delivery.resource_set(
        manifests, name="x", namespace="capi", cluster_labels={"os": "windows"}
    )
    data = found(bundle, "ConfigMap", "x")["data"]["addons.yaml"]
    assert list(yaml.safe_load_all(data)) == manifests
    spec = found(bundle, "ClusterResourceSet", "x")["spec"]
    assert spec["clusterSelector"] == {"matchLabels": {"os": "windows"}}
    assert spec["resources"] == [{"kind": "ConfigMap", "name": "x"}]


@pytest.mark.parametrize("minor", range(17, 24))
@pytest.mark.parametrize("mode", ["overlay", "l2bridge"])
def test_every_legacy_minor_has_its_pods_through_wins(minor, mode):
    path = DATA / "fleets" / "v1alpha1" / f"k120-2019-docker-wins-{mode}.yaml"
    text = path.read_text("utf-8").replace("1.20.15", f"1.{minor}.0")
    (fleet,) = read_fleets(text.encode(), name=path.name)
    setting = setting_of(fleet, resolve(fleet))
    assert setting.kubernetes.minor == minor
    made = render(setting)
    for name in ("kube-flannel-windows-2019", "kube-proxy-windows-2019"):
        assert found(made, "DaemonSet", name)["spec"]["template"]["spec"]["hostNetwork"] is True
    assert found(pipe_policy(setting), "PodSecurityPolicy", "transom-wins-pipe")
