"""A host says it is the Windows it was asked to be."""

import pytest

from transom.errors import UnsupportedError
from transom_lab.registry import render_registry, windows_release, windows_releases
from transom_lab.sources import source

TEMPLATE = (source("native") / "base.reg.in").read_text()


@pytest.mark.parametrize("release", windows_releases(), ids=lambda release: release.name)
def test_the_registry_names_release_build_revision_and_host(release):
    text = render_registry(TEMPLATE, release, "win-web-01")
    assert f'"ProductName"="{release.product}"\r\n' in text
    assert f'"CurrentBuildNumber"="{release.build}"\r\n' in text
    assert f'"UBR"=dword:{release.ubr:08x}\r\n' in text
    assert '"ComputerName"="WIN-WEB-01"\r\n' in text
    assert "${" not in text


def test_a_long_name_is_cut_for_netbios_only():
    text = render_registry(TEMPLATE, windows_release("2025"), "a-name-of-twenty-two-c")
    assert '"ComputerName"="A-NAME-OF-TWENT"' in text
    assert '"Hostname"="a-name-of-twenty-two-c"' in text


def test_the_adapter_has_the_hosts_address_and_a_base_has_none():
    release = windows_release("2022")
    with_address = render_registry(TEMPLATE, release, "a", address="10.7.0.9")
    text = with_address.split('"IPAddress"=hex(7):')[1].split("\r\n")[0]
    assert bytes.fromhex(text.replace(",", "")) == b"10.7.0.9\0\0"
    assert '"IPAddress"=hex(7):00\r\n' in render_registry(TEMPLATE, release, "a")


def test_hosts_have_different_machine_identities_that_stay():
    first, second, again = (
        render_registry(TEMPLATE, windows_release("2022"), name) for name in ("a", "b", "a")
    )
    assert first == again
    assert first.split('"LastConfig"=')[1][:40] != second.split('"LastConfig"=')[1][:40]


def test_an_unknown_release_is_refused_with_those_there_are():
    with pytest.raises(UnsupportedError, match="2019, 2022, 2025"):
        windows_release("2016")


def test_every_stand_in_is_preferred_to_the_program_wine_has():
    from transom_lab.native import _STAND_INS

    for name in (*_STAND_INS, "powershell"):
        assert f'"{name}.exe"="native"' in TEMPLATE
