"""What a fleet must have locked: every artifact of every host, at its upstream's address."""

from pathlib import Path

import pytest

from transom.errors import Refused
from transom.model.lock import Lock
from transom.recipe.lock import apply_lock
from transom.recipe.pinnable import artifacts_of
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

SHOP = (Path(__file__).parents[2] / "data/fleets/v1alpha1/shop.yaml").read_text("utf-8")
OVERRIDE = SHOP[SHOP.index("{containerd: {url:") : SHOP.index("}}        # or file") + 2]


def wanted(text=SHOP):
    return {one.artifact.id: one for one in artifacts_of(read_fleets(text, name="fleet.yaml"))}


def test_addresses_are_upstreams_and_the_mirrors_go_along():
    kubelet = wanted()["kubelet"]
    assert kubelet.artifact.url.startswith("https://dl.k8s.io/")
    assert kubelet.checksum_url == kubelet.artifact.url + ".sha256"
    assert kubelet.mirrors == {"https://dl.k8s.io": "https://mirror.corp/k8s"}
    assert (kubelet.proxy, kubelet.no_proxy) == ("http://proxy:3128", (".corp",))


def test_each_artifact_of_a_recipe_is_one_to_lock_and_the_other_way_round():
    """The recipe has mirrored addresses: the lock finds them all the same."""
    (fleet,) = read_fleets(SHOP, name="fleet.yaml")
    to_lock = {one.key for one in artifacts_of([fleet])}
    missing = set()
    for recipe in resolve(fleet):
        missing |= {(key.id, key.version) for key in apply_lock(recipe.artifacts, Lock()).missing}
    assert {(key.id, key.version) for key in to_lock} == missing


def test_an_override_is_vouched_for_by_the_fleet_alone():
    containerd = wanted()["containerd"]
    assert containerd.artifact.url == "https://files.corp/c.tar.gz"
    assert containerd.artifact.sha256 == "a" * 64
    assert containerd.checksum_url == ""


def test_a_local_file_has_no_published_sum():
    kubelet = wanted(SHOP.replace(OVERRIDE, "{kubelet: {file: ./k.exe}}"))["kubelet"]
    assert (kubelet.artifact.file, kubelet.checksum_url) == ("./k.exe", "")


def test_a_member_of_the_node_tarball_is_not_vouched_for_by_the_programs_sum():
    text = SHOP.replace(OVERRIDE, "{kubelet: {member: kubernetes/node/bin/kubelet.exe}}")
    kubelet = wanted(text)["kubelet"]
    assert kubelet.artifact.url.endswith("tar.gz")
    assert not kubelet.checksum_url.endswith("kubelet.exe.sha256")


def test_a_fleet_that_cannot_work_is_refused():
    with pytest.raises(Refused):
        wanted(SHOP.replace("release: 2025", "release: 2019"))
