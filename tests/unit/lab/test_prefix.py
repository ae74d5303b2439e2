"""A host's prefix is its own, but for what nobody writes into."""

from transom_lab.prefix import copy_prefix


def test_wines_own_programs_are_shared_and_everything_else_is_copied(tmp_path):
    base, copy = tmp_path / "base", tmp_path / "host"
    system = base / "drive_c" / "windows" / "system32"
    etc = system / "drivers" / "etc"
    etc.mkdir(parents=True)
    (base / "dosdevices").mkdir()
    (base / "dosdevices" / "c:").symlink_to("../drive_c")
    (base / "drive_c" / "k").mkdir()
    names = {
        "shared": [system / "kernel32.dll", system / "SC.EXE"],
        "own": [etc / "hosts", base / "system.reg", base / "drive_c" / "k" / "tool.exe"],
    }
    for file in (*names["shared"], *names["own"]):
        file.write_text(file.name)
    copy_prefix(base, copy)
    for kind, files in names.items():
        for file in files:
            made = copy / file.relative_to(base)
            assert made.read_text() == file.name
            assert made.samefile(file) == (kind == "shared")
    assert (copy / "dosdevices" / "c:").readlink().as_posix() == "../drive_c"
