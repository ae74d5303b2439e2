"""What each golden fleet needs of its cluster: the same bytes every time, valid and linted."""

import pytest
from jsonschema_rs import ValidationError
from tests import kubernetes_schemas
from tests.unit.addons.golden import DATA, FLEETS, everything, objects, setting_from

from transom.addons.catalogue import render
from transom.addons.delivery import stream
from transom.addons.manifest import FLEET, MANAGED_BY
from transom.cli.main import main

# What a node has while it joins, by whoever puts it there.
JOINING = (
    {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"},
    {"key": "node.kubernetes.io/network-unavailable", "effect": "NoSchedule"},
    {"key": "node.cluster.x-k8s.io/uninitialized", "effect": "NoSchedule"},
    {"key": "node.cloudprovider.kubernetes.io/uninitialized", "effect": "NoSchedule"},
    {"key": "os", "value": "windows", "effect": "NoSchedule"},
    {"key": "anything", "value": "of the site", "effect": "NoExecute"},
)
# Objects of which we apply fields only: never labelled, so never deleted.
THE_CLUSTERS_OWN = ("Installation", "IPAMConfiguration", "IPAMConfig")


def is_old(path):
    """Whether the installed validator no longer carries the schemas of its minor."""
    return setting_from(path).kubernetes.minor <= kubernetes_schemas.ARCHIVED


every_fleet = pytest.mark.parametrize("path", FLEETS, ids=lambda path: path.stem)


@every_fleet
def test_the_stream_is_the_golden_one(path):
    golden = (DATA / "addons" / f"{path.stem}.yaml").read_text("utf-8")
    assert golden == stream(render(setting_from(path)))
    assert golden == stream(render(setting_from(path)))


@every_fleet
def test_no_object_is_named_twice_and_each_is_known_as_ours(path):
    names = [
        (item["kind"], item["metadata"].get("namespace"), item["metadata"]["name"])
        for item in objects(path)
    ]
    assert len(names) == len(set(names))
    for item in objects(path):
        if item["kind"] in THE_CLUSTERS_OWN:
            assert "labels" not in item["metadata"]
            continue
        labels = item["metadata"]["labels"]
        assert MANAGED_BY.items() <= labels.items()
        assert labels[FLEET] == path.stem


@every_fleet
def test_lint_has_nothing_against_it_and_its_extras(path, capsys, tmp_path):
    written = tmp_path / path.name
    written.write_text(stream(everything(path)), "utf-8")
    code = main(["lint", "--fail-on", "warning", "-f", str(path), str(written)])
    assert code == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    "path", [path for path in FLEETS if not is_old(path)], ids=lambda path: path.stem
)
def test_it_is_valid_by_the_schemas_of_its_minor(path):
    assert_valid(path)


def test_those_of_old_minors_are_valid_too():
    """All in one, because unpacking the old schemas takes most of the time."""
    old = [path for path in FLEETS if is_old(path)]
    assert old
    for path in old:
        assert_valid(path)


def assert_valid(path):
    minor = setting_from(path).kubernetes.minor
    for item in everything(path):
        group = item["apiVersion"].rpartition("/")[0]
        if "." not in group or group.endswith("k8s.io"):  # else a custom resource
            kubernetes_schemas.validate(item, minor)


@pytest.mark.parametrize("minor", [25, 37])
def test_the_schemas_refuse_what_their_minor_does_not_know(minor):
    (proxy,) = [
        item
        for item in objects(DATA / "fleets" / "k137-2022-containerd-flannel-overlay.yaml")
        if (item["kind"], item["metadata"]["name"]) == ("DaemonSet", "kube-proxy-windows")
    ]
    pod = proxy["spec"]["template"]["spec"]
    del pod["os"]
    kubernetes_schemas.validate(proxy, minor)
    pod["hostnetwork"] = True
    with pytest.raises(ValidationError, match="'hostnetwork' was unexpected"):
        kubernetes_schemas.validate(proxy, minor)


@every_fleet
def test_its_pods_run_on_a_node_that_is_still_joining(path):
    for item in objects(path):
        if item["kind"] == "DaemonSet":
            spec = item["spec"]["template"]["spec"]
            for taint in JOINING:
                assert any(tolerates(toleration, taint) for toleration in spec["tolerations"])
            assert spec["nodeSelector"]["transom.dev/prepared"] == "true"
            assert spec["nodeSelector"]["kubernetes.io/os"] == "windows"


def tolerates(toleration, taint):
    """As Kubernetes decides it."""
    if toleration.get("effect", taint["effect"]) != taint["effect"]:
        return False
    if toleration.get("key", taint["key"]) != taint["key"]:
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return True
    return toleration.get("value", "") == taint.get("value", "")
