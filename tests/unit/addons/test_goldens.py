"""What each golden fleet needs of its cluster: the same bytes every time, valid and linted."""

import kubernetes_validate
import pytest
from tests.unit.addons.golden import DATA, FLEETS, objects, setting_from

from transom.addons.catalogue import render
from transom.addons.delivery import stream
from transom.addons.manifest import FLEET, MANAGED_BY
from transom.cli.main import main

# The oldest minor whose schemas the validator still carries.
OLDEST_SCHEMA = 25
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
THE_CLUSTERS_OWN = ("Installation", "IPAMConfiguration")
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
def test_lint_has_nothing_against_it(path, capsys):
    golden = DATA / "addons" / path.name
    code = main(["lint", "--fail-on", "warning", "-f", str(path), str(golden)])
    assert code == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    "path",
    [path for path in FLEETS if int(path.stem[2:4]) >= OLDEST_SCHEMA],
    ids=lambda path: path.stem,
)
def test_it_is_valid_by_the_schemas_of_its_minor(path):
    minor = setting_from(path).kubernetes.minor
    for item in objects(path):
        if "." not in item["apiVersion"] or item["apiVersion"].split("/")[0].endswith("k8s.io"):
            kubernetes_validate.validate(item, f"1.{minor}", strict=True)


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
