"""The kubelet's service and configuration in a recipe, version by version."""

import pytest
from tests.simulation import fleet_text

from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets


def recipe_of(version, release="2022"):
    text = fleet_text(1).replace("1.37.1", version).replace("release: 2022", f"release: {release}")
    text = text.replace("  kubernetes:", "  allowEndOfLife: true\n  kubernetes:")
    (fleet,) = read_fleets(text.encode(), name="fleet.yaml")
    (recipe,) = resolve(fleet)
    return recipe


def kubelet_command(version, release="2022"):
    return next(s.command for s in recipe_of(version, release).services if s.name == "kubelet")


@pytest.mark.parametrize(
    ("version", "without"),
    [
        ("1.37.1", "--without=pod-infra-container-image"),
        ("1.35.4", "--without=cloud-config,pod-infra-container-image"),
        ("1.34.2", "--without=cloud-config"),
        ("1.30.0", ""),
        ("1.27.0", "--without=container-runtime,log-dir,log-file,logtostderr"),
    ],
)
def test_flags_that_were_lost_since_the_oldest_kubelet_allowed_are_left_out(version, without):
    found = [word for word in kubelet_command(version) if word.startswith("--without")]
    assert found == ([without] if without else [])


def test_the_kubelet_is_started_by_the_node_program_with_its_own_address():
    command = kubelet_command("1.37.1")
    start = command.index(r"C:\k\transom\node.pyz")
    assert command[start - 1].endswith("python.exe")
    assert command[start + 1 : start + 3] == (
        "kubelet",
        r"--flags-file=C:\var\lib\kubelet\kubeadm-flags.env",
    )
    assert "--address=10.0.0.2" in command[start:]
    assert command.index(r"C:\k\kubelet.exe") > start


@pytest.mark.parametrize(("version", "release"), [("1.37.1", "2022"), ("1.23.17", "2019")])
def test_without_kubeadm_the_kubelet_reads_no_resolv_conf_and_rotates_its_certificate(
    version, release
):
    """As kubeadm would have it: with the default every pod fails, and the node with its certificate."""
    config = recipe_of(version, release).kubelet.manual.config
    assert (config["resolvConf"], config["rotateCertificates"]) == ("", True)
