"""A pause image of one's own: rendered for a release, and used by the recipe once it is named."""

from dataclasses import replace
from pathlib import Path

import pytest

from transom.cli.main import main
from transom.errors import UnsupportedError, UsageError
from transom.image.pause import own_pause
from transom.model.fleet import ContainerdSpec, Runtime
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

FLEETS = Path(__file__).parents[2] / "data" / "fleets" / "v1alpha1"
NAME = "registry.corp/pause:3.10.2-ltsc2025"


def test_the_program_of_a_published_image_goes_on_the_base_of_the_build():
    made = own_pause("2025", name=NAME, published="mirror.corp/pause:3.10.2")
    lines = made.dockerfile.splitlines()
    assert "FROM --platform=windows/amd64 mirror.corp/pause:3.10.2 AS published" in lines
    assert "FROM --platform=windows/amd64 mcr.microsoft.com/windows/nanoserver:ltsc2025" in lines
    assert not any(line.startswith("RUN") for line in lines)
    assert f"type=registry,name={NAME}" in made.command


def test_a_release_without_a_base_image_and_an_unknown_one_are_refused():
    with pytest.raises(UnsupportedError, match="no base image"):
        own_pause("23H2", name=NAME)
    with pytest.raises(UsageError, match="no Windows Server 2035"):
        own_pause("2035", name=NAME)


def test_the_recipe_uses_the_named_image_everywhere():
    path = FLEETS / "k137-2022-containerd-flannel-overlay.yaml"
    (fleet,) = read_fleets(path.read_bytes(), name=path.name)
    own = replace(fleet, runtime=Runtime(containerd=ContainerdSpec(pause_image=NAME)))
    (recipe,) = resolve(own)
    assert [image.reference for image in recipe.images] == [NAME]
    config = next(file for file in recipe.files if file.path.endswith("config.toml"))
    assert NAME in config.content
    assert "registry.k8s.io/pause" not in config.content


def test_the_command_writes_the_file_and_says_what_comes_next(tmp_path, capsys):
    words = ["image", "pause", "--windows", "2025", "--name", NAME]
    assert main([*words, "-o", str(tmp_path / "p")]) == 0
    said = capsys.readouterr().out
    assert "docker buildx build" in said
    assert f"pauseImage: {NAME}" in said
    assert main(words) == 0
    assert capsys.readouterr().out == (tmp_path / "p" / "Dockerfile").read_text()


@pytest.mark.parametrize(
    "name", ["bad name", "pause", "registry.corp/Pause:1", "registry.corp/x;y"]
)
def test_what_is_no_name_of_an_image_is_refused(name):
    with pytest.raises(UsageError, match="is no name of an image"):
        own_pause("2025", name=name)


@pytest.mark.parametrize("name", ["registry.corp:5000/a/pause:3.10.2-ltsc2025", "r.corp/pause"])
def test_names_of_images_are_taken_as_they_are(name):
    assert own_pause("2025", name=name).name == name
