"""`transom node build`: the same inputs, the same bytes, and only bytes that are known."""

import hashlib
import io
import zipfile

import pytest

from transom.cli.main import main
from transom.cli.options import lock_file
from transom.fleet.on_host.interpreter import interpreter_artifact
from transom.fleet.on_host.program import Brought
from transom.model.fleet import Source
from transom.model.lock import Lock, LockEntry, SumFrom


def package(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names or ("python313._pth", "python.exe"):
            archive.writestr(zipfile.ZipInfo(name), name)
    return buffer.getvalue()


@pytest.fixture
def site(tmp_path, capsys, monkeypatch):
    """A folder with Python's package; give a function that builds."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "python.zip").write_bytes(package())

    def build(*options, out="out"):
        code = main(["node", "build", "-o", out, *options])
        return code, *capsys.readouterr()

    return build


def tree(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def lock_with(sha256):
    artifact = interpreter_artifact(Source()).artifact
    entry = LockEntry(
        id=artifact.id, version=artifact.version, url=artifact.url,
        sha256=sha256, size=1, sum_from=SumFrom.FIRST_USE,
    )  # fmt: skip
    return Lock((entry,))


def test_the_same_inputs_give_the_same_bytes_and_the_sums_are_told(site, tmp_path):
    for out in ("one", "two"):
        code, said, _ = site("--python", "python.zip", out=out)
        assert code == 0
    found = tree(tmp_path / "one")
    assert found == tree(tmp_path / "two")
    assert said.splitlines() == [
        f"{hashlib.sha256(found[name]).hexdigest()}  {name}" for name in sorted(found)
    ]
    assert set(found) == {"node.pyz", "python/python.exe", "python/python313._pth", "brought.json"}


def test_a_join_takes_the_folder_for_what_it_would_bring(site, tmp_path):
    assert site("--python", "python.zip")[0] == 0
    brought = Brought.with_python(package())
    assert (tmp_path / "out" / "brought.json").read_bytes() == brought.manifest(())


def test_made_again_it_leaves_nothing_of_the_python_before(site, tmp_path):
    assert site("--python", "python.zip")[0] == 0
    (tmp_path / "newer.zip").write_bytes(package("python.exe", "python314._pth"))
    assert site("--python", "newer.zip")[0] == 0
    there = sorted(path.name for path in (tmp_path / "out" / "python").iterdir())
    assert there == ["python.exe", "python314._pth"]


def test_files_of_somebody_else_stay(site, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letter.txt").write_text("mine")
    code, _, complaint = site("--python", "python.zip")
    assert code == 2
    assert "has files of its own" in complaint
    assert tree(tmp_path / "out") == {"letter.txt": b"mine"}


def test_a_python_without_a_known_sum_is_not_fetched(site):
    code, _, complaint = site()
    assert code == 2
    assert "`transom lock`" in complaint


@pytest.mark.parametrize("sha256", ["b" * 64, hashlib.sha256(package()).hexdigest()])
def test_a_package_of_ones_own_must_be_what_the_lock_names(site, tmp_path, sha256):
    lock_file.save(tmp_path / "transom.lock", lock_with(sha256))
    code, _, complaint = site("--python", "python.zip")
    assert code == (5 if sha256.startswith("bbb") else 0), complaint


@pytest.mark.parametrize("content", [b"no zip", package("lib/os.py")])
def test_what_is_no_embeddable_package_is_refused_before_anything_is_written(
    site, tmp_path, content
):
    (tmp_path / "python.zip").write_bytes(content)
    code, _, complaint = site("--python", "python.zip")
    assert code == 2
    assert "the Python for hosts" in complaint
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_made_is_told(site, tmp_path):
    (tmp_path / "out").write_text("a file")
    code, _, complaint = site("--python", "python.zip")
    assert code == 2
    assert "cannot write out" in complaint
