"""Archives of the lab's mirror have the same bytes each time, and what a recipe looks for."""

import io
import tarfile
import zipfile

from transom_lab.embedpython import lab_python
from transom_lab.fleet import shell_line
from transom_lab.mirror import tar_gz


def test_an_archive_has_its_members_and_the_same_bytes_each_time():
    members = {"./b.exe": b"two", "bin/a.exe": b"one"}
    packed = tar_gz(members)
    assert packed == tar_gz(dict(reversed(members.items())))
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        opened = {name: archive.extractfile(name) for name in archive.getnames()}
        assert {name: file.read() for name, file in opened.items() if file} == members


def test_the_labs_python_is_flat_and_carries_its_module():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("cp313/python.exe", b"MZ")
        archive.writestr("cp313/python313._pth", b"python313.zip\r\n.\r\n")
    made = lab_python(buffer.getvalue())
    assert made == lab_python(buffer.getvalue())
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert archive.namelist() == ["python.exe", "python313._pth", "sitecustomize.py"]
        assert b"import site" in archive.read("python313._pth").splitlines()
        compile(archive.read("sitecustomize.py"), "sitecustomize.py", "exec")


def test_a_command_is_shown_with_one_option_to_a_line():
    words = ["transom", "join", "h", "--key", "a b", "--yes"]
    assert shell_line(words) == "transom join h \\\n  --key 'a b' \\\n  --yes"
