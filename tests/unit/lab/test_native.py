"""What is built depends on the sources alone, and lands where Windows has it."""

import shutil

from transom_lab.native import NativeParts, _fingerprint
from transom_lab.sources import source


def test_the_fingerprint_changes_with_a_source_and_not_with_a_test(tmp_path):
    native = tmp_path / "native"
    shutil.copytree(source("native"), native)
    before = _fingerprint(native)
    assert before == _fingerprint(source("native"))
    (native / "cri" / "more_test.go").write_text("package main\n")
    (native / "conformance" / "go.sum").write_text("")
    assert _fingerprint(native) == before
    (native / "hns" / "hns.c").write_text("")
    assert _fingerprint(native) != before


def test_every_part_is_installed_and_wines_own_files_are_replaced_not_written_into(tmp_path):
    names = ("shim", "hns_client", "runtime", "stand_ins", "registry")
    for name in names:
        (tmp_path / name).write_text(name)
    parts = NativeParts(*(tmp_path / name for name in names))
    drive = tmp_path / "drive_c"
    system = drive / "windows" / "system32"
    system.mkdir(parents=True)
    (tmp_path / "shared").write_text("wine's")
    (system / "sc.exe").hardlink_to(tmp_path / "shared")
    parts.install(drive)
    assert (tmp_path / "shared").read_text() == "wine's"
    found = {
        str(file.relative_to(drive)).lower(): file.read_text()
        for file in drive.rglob("*")
        if file.is_file()
    }
    assert found == {
        "windows/system32/bcryptprimitives.dll": "shim",
        "windows/system32/computenetwork.dll": "hns_client",
        "windows/system32/vmcompute.dll": "hns_client",
        "windows/system32/dism.exe": "stand_ins",
        "windows/system32/endservices.exe": "stand_ins",
        "windows/system32/icacls.exe": "stand_ins",
        "windows/system32/netsh.exe": "stand_ins",
        "windows/system32/route.exe": "stand_ins",
        "windows/system32/sc.exe": "stand_ins",
        "windows/system32/shutdown.exe": "stand_ins",
        "windows/system32/windowspowershell/v1.0/powershell.exe": "stand_ins",
        "program files/containerd/containerd-standin.exe": "runtime",
    }
