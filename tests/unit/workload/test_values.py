"""Quantities, paths in containers and image names are read as Kubernetes and Windows read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.model.version import Version
from transom.workload.context import OperatingSystem, build_of_release
from transom.workload.field_values import is_mountable, read_quantity, windows_path
from transom.workload.image import read_image, runs_on


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", 1), ("800Mi", 800 * 2**20), ("1.5Gi", 1.5 * 2**30), ("1e3", 1000), (".5", 0.5), (2, 2)],
)
def test_quantities(text, number):
    assert read_quantity(text) == pytest.approx(number)


def test_a_milli_suffix_is_a_thousandth():
    assert read_quantity("800m") == pytest.approx(0.8)


@pytest.mark.parametrize("value", ["", "Mi", "1 Mi", "1mi", True, None, [], "1e", "0x10"])
def test_what_is_no_quantity(value):
    assert read_quantity(value) is None


@given(st.text(max_size=12))
def test_no_text_breaks_the_reader_of_quantities(text):
    assert read_quantity(text) is None or isinstance(read_quantity(text), float)


@pytest.mark.parametrize(
    "path", ["C:\\data", "c:/data", "/data", "data\\x", "D:", "D:\\", r"\\.\pipe\x"]
)
def test_paths_that_can_be_mounted(path):
    assert is_mountable(path)


@pytest.mark.parametrize("path", ["C:", "C:\\", "c:/", "/", "C:\\a:ro", "data:x", ""])
def test_paths_that_cannot_be_mounted(path):
    assert not is_mountable(path)


def test_paths_are_compared_without_case_and_slashes():
    assert windows_path("/Data/") == windows_path("C:\\data") == "c:\\data"


@pytest.mark.parametrize(
    ("name", "system", "build"),
    [
        ("mcr.microsoft.com/windows/nanoserver:ltsc2022", "windows", 20348),
        ("mcr.microsoft.com/windows/servercore:10.0.17763.6532", "windows", 17763),
        (
            "mcr.microsoft.com/dotnet/framework/aspnet:4.8-windowsservercore-ltsc2019",
            "windows",
            17763,
        ),
        ("registry.example.com:5000/app:1809-nanoserver", "windows", 17763),
        ("microsoft/iis", "windows", None),
        ("nginx:1.27-alpine", "linux", None),
        ("registry.example.com:5000/app", None, None),
        ("registry.example.com/app:1809", None, None),
    ],
)
def test_what_image_names_tell(name, system, build):
    image = read_image(name)
    assert image.os == (OperatingSystem(system) if system else None)
    assert (image.release.build if image.release else None) == build


@pytest.mark.parametrize(
    ("image", "node", "containerd", "runs"),
    [
        (20348, 20348, None, True),
        (17763, 20348, None, False),
        (20348, 26100, None, True),
        (20348, 26100, Version(1, 7, 0), False),
        (20348, 25398, Version(1, 7, 6), True),
        (26100, 20348, Version(2, 2), False),
    ],
)
def test_which_builds_run_where(image, node, containerd, runs):
    assert runs_on(image, node, containerd) is runs


def test_releases_have_several_names():
    assert {build_of_release(name) for name in ("2022", "ltsc2022", "LTSC2022", "20348")} == {20348}
    assert build_of_release("95") is None
