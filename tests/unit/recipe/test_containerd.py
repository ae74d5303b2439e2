"""containerd's configuration says what its own defaults do not give a Windows node."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from transom.model.fleet import ContainerdSpec, Runtime
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

DATA = Path(__file__).parents[2] / "data" / "fleets"


def configuration_of(version, kubernetes="1.36.4"):
    """What that version of containerd reads."""
    path = DATA / "k136-2022-containerd-flannel-l2bridge.yaml"
    (fleet,) = read_fleets(path.read_bytes(), name=path.name)
    runtime = Runtime(containerd=ContainerdSpec(version=version))
    wanted = replace(fleet.kubernetes, version=kubernetes)
    (recipe,) = resolve(replace(fleet, runtime=runtime, kubernetes=wanted))
    (file,) = (file for file in recipe.files if file.path.endswith("config.toml"))
    return tomllib.loads(file.content)


def images_of(version, kubernetes="1.36.4"):
    """The settings of containerd's images, as that version of it reads them."""
    plugins = configuration_of(version, kubernetes)["plugins"]
    return plugins.get("io.containerd.cri.v1.images") or plugins["io.containerd.grpc.v1.cri"]


@pytest.mark.parametrize("version", ["2.2.0", "2.2.1", "2.3.0", "2.3.7", "2.4.2"])
def test_a_windows_base_image_has_time_to_be_unpacked(version):
    """From 2.2 on containerd may take unpacking for standing still, and cancels the pull after 5 minutes."""
    assert images_of(version)["image_pull_progress_timeout"] == "60m"


@pytest.mark.parametrize(("version", "kubernetes"), [("1.7.28", "1.34.2"), ("2.1.4", "1.34.2")])
def test_an_older_one_counts_only_what_it_downloads_and_keeps_its_own_limit(version, kubernetes):
    assert "image_pull_progress_timeout" not in images_of(version, kubernetes)


@pytest.mark.parametrize(
    ("version", "written", "kubernetes"),
    [
        ("1.7.35", 2, "1.34.2"),
        ("2.1.4", 3, "1.34.2"),
        ("2.2.9", 3, "1.36.4"),
        ("2.3.0", 4, "1.36.4"),
        ("2.3.7", 4, "1.37.1"),
        ("2.4.2", 4, "1.37.1"),
    ],
)
def test_it_is_written_in_the_newest_version_that_this_containerd_reads(
    version, written, kubernetes
):
    """An older version is migrated at every start, with a warning; a newer one is refused."""
    assert configuration_of(version, kubernetes)["version"] == written


def test_the_version_four_file_says_nothing_that_moved_in_it():
    """The addresses of the server, debugging and metrics became plugins; left at their old place they would be ignored."""
    assert set(configuration_of("2.3.7")) == {"version", "root", "state", "plugins"}
