"""`transom lock` without a network: what it refuses, what it says, and what it leaves alone."""

import json
from dataclasses import replace

import pytest
from tests.artifacts import artifact
from tests.simulation import fleet_text

from transom.cli.commands import lock as lock_command
from transom.cli.main import main
from transom.cli.options import lock_file
from transom.cli.output.progress import progress_of
from transom.model.lock import Lock, LockEntry, SumFrom
from transom.recipe.lock import PinnableArtifact
from transom.report.lock import LockReport, lines, size

SUM = "a" * 64


@pytest.fixture
def transom(monkeypatch, tmp_path, capsys):
    """Run `transom lock --offline` for some artifacts; give exit code, output and complaints."""

    def run(*options, artifacts=(), offline=True):
        pinnables = [PinnableArtifact(artifact=one, directory=str(tmp_path)) for one in artifacts]
        monkeypatch.setattr(lock_command, "wanted_by", lambda _file: pinnables)
        monkeypatch.setattr(lock_command, "fleets_by", lambda _args: [])
        code = main(
            ["lock", "-f", str(tmp_path / "fleet.yaml"), *["--offline"] * offline, *options]
        )
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def path(tmp_path):
    return tmp_path / "transom.lock"


def save(path, *names, sha256=SUM):
    entries = (
        LockEntry(
            id=name,
            version="1.37.1",
            url=artifact(name).url,
            sha256=sha256,
            size=1,
            sum_from=SumFrom.FIRST_USE,
        )
        for name in names
    )
    lock_file.save(path, Lock(tuple(entries)))


def test_offline_says_what_is_missing_and_makes_no_file(transom, path):
    code, out, _ = transom(artifacts=[artifact()])
    assert code == 1
    assert "missing  kubelet 1.37.1  https://dl.example/v1.37.1/kubelet.exe" in out
    assert not path.exists()


def test_offline_pins_local_files(transom, path, tmp_path):
    (tmp_path / "k.exe").write_bytes(b"kubelet")
    code, out, _ = transom(artifacts=[artifact(file="k.exe")])
    assert code == 0
    assert "added    kubelet 1.37.1" in out
    assert lock_file.load(path).entries[0].size == 7


def test_nothing_to_do_writes_nothing(transom, path):
    save(path, "kubelet")
    before = path.stat().st_mtime_ns, path.read_bytes()
    code, out, _ = transom(artifacts=[artifact()])
    assert (code, out) == (0, f"{path}: 1 artifact, not changed\n")
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before


@pytest.mark.parametrize("mode", [(), ("--check",)], ids=["lock", "check"])
def test_a_sum_the_fleet_contradicts_is_told_and_kept(transom, path, mode):
    save(path, "kubelet")
    code, out, _ = transom(*mode, artifacts=[artifact(sha256="b" * 64)])
    assert code == 1
    assert f"differs  kubelet 1.37.1  locked {SUM}" in out
    assert "the fleet (artifact-kubelet) says " + "b" * 64 in out
    assert lock_file.load(path).entries[0].sha256 == SUM


def test_unused_entries_are_told_and_fail_no_check(transom, path):
    save(path, "kubelet", "kubeadm")
    code, out, _ = transom("--check", artifacts=[artifact()])
    assert code == 0
    assert "unused   kubeadm 1.37.1" in out


def test_check_writes_nothing_even_where_it_could(transom, path, tmp_path):
    (tmp_path / "k.exe").write_bytes(b"kubelet")
    assert transom("--check", artifacts=[artifact(file="k.exe")])[0] == 1
    assert not path.exists()


def test_the_document_has_all_of_it(transom, path):
    save(path, "kubelet", "kubeadm")
    _, out, _ = transom("--check", "-o", "json", artifacts=[artifact(), artifact("flannel")])
    document = json.loads(out)
    assert (document["apiVersion"], document["kind"]) == (
        "output.transom.dev/v1alpha1",
        "LockReport",
    )
    assert [one["id"] for one in document["entries"]] == ["kubeadm", "kubelet"]
    assert [one["id"] for one in document["missing"]] == ["flannel"]
    assert [one["id"] for one in document["unused"]] == ["kubeadm"]


def test_update_cannot_be_offline(transom):
    code, _, err = transom("--update", artifacts=[artifact()])
    assert code == 2
    assert "cannot be --offline" in err


def test_update_of_an_unknown_name_suggests_the_nearest(transom):
    code, _, err = transom("--update", "kublet", artifacts=[artifact()], offline=False)
    assert code == 2
    assert "did you mean kubelet?" in err


def test_a_header_needs_its_variable(transom):
    code, _, err = transom(
        "--header", "https://m.corp", "X-Token", "NOT_SET_HERE", artifacts=[], offline=False
    )
    assert code == 2
    assert "no variable 'NOT_SET_HERE'" in err


def test_a_spoilt_lock_is_told_with_its_line_and_kept(transom, path):
    save(path, "kubelet")
    spoilt = path.read_text("utf-8").replace("size = 1", "size = -1")
    path.write_text(spoilt, "utf-8")
    code, _, err = transom(artifacts=[artifact()])
    assert code == 2
    assert f"{path}:12 artifact[0].size" in err
    assert path.read_text("utf-8") == spoilt


def test_a_lock_that_cannot_be_read_or_written_is_said(transom, path, tmp_path):
    path.write_bytes(b"\xff")
    assert transom(artifacts=[])[0] == 2
    (tmp_path / "k.exe").write_bytes(b"kubelet")
    nowhere = str(tmp_path / "nowhere" / "transom.lock")
    code, _, err = transom("--lock", nowhere, artifacts=[artifact(file="k.exe")])
    assert code == 2
    assert "cannot write the lock" in err


def test_a_write_that_fails_leaves_the_old_lock(path, monkeypatch, transom, tmp_path):
    save(path, "kubelet")
    before = path.read_bytes()
    (tmp_path / "k.exe").write_bytes(b"kubelet")

    def broken(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", broken)
    assert transom(artifacts=[artifact(file="k.exe")])[0] == 2
    assert path.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["k.exe", "transom.lock"]


def test_a_fleet_that_is_not_there_is_said(tmp_path, capsys):
    assert main(["lock", "-f", str(tmp_path / "none.yaml")]) == 2
    assert "cannot read" in capsys.readouterr().err


def test_changes_are_told_by_what_they_mean():
    old = LockEntry(
        id="kubelet",
        version="1.37.1",
        url=artifact().url,
        sha256=SUM,
        size=1,
        sum_from=SumFrom.FIRST_USE,
    )
    other = replace(old, sha256="b" * 64)
    vouched = replace(old, sum_from=SumFrom.OVERRIDE)

    def told(before, after):
        made = LockReport(file="l", written=True, before=Lock(before), after=Lock(after))
        return next(iter(lines(made)))

    assert (
        told((old,), (other,)) == f"changed  kubelet 1.37.1  other bytes: {SUM} is now {'b' * 64}"
    )
    assert told((old,), (vouched,)) == "changed  kubelet 1.37.1  same bytes, override sum"
    assert told((old,), ()) == "removed  kubelet 1.37.1"


def test_progress_is_live_on_a_terminal_and_one_line_elsewhere(monkeypatch, capsys):
    pinnable = PinnableArtifact(artifact=artifact())
    for live in (True, False):
        monkeypatch.setattr("sys.stderr.isatty", lambda live=live: live)
        progress = progress_of(pinnable)
        for done in (1000, 1000, 2000):
            progress(done, 2000)
    assert capsys.readouterr().err == (
        "\r\033[Kkubelet 1.37.1: 1.0 kB of 2.0 kB"
        "\r\033[Kkubelet 1.37.1: 2.0 kB of 2.0 kB\n"
        "kubelet 1.37.1: downloading 2.0 kB\n"
    )


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (52_300_000, "52.3 MB"), (10**13, "10000.0 GB")],
)
def test_sizes_are_for_people(count, words):
    assert size(count) == words


def test_what_an_upgrade_goes_to_is_locked_beside_what_the_fleet_has(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleet.yaml").write_text(fleet_text(1))
    assert main(["lock", "--offline", "--to", "v1.37.2", "-o", "json"]) == 1
    missing = json.loads(capsys.readouterr().out)["missing"]
    assert {item["version"] for item in missing if item["id"] == "kubelet"} == {"1.37.1", "1.37.2"}
    assert main(["lock", "--offline", "--to", "newest"]) == 2
    assert "write it as 1.37.1" in capsys.readouterr().err
