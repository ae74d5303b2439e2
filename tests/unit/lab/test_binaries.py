"""The order of sources, and what the cache promises."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from transom.errors import PermanentError, UsageError
from transom_lab import binaries as module
from transom_lab.binaries import Binaries
from transom_lab.downloads import Unreachable
from transom_lab.locks import exclusive
from transom_lab.programs import Goos, program
from transom_lab.progress import Progress

_KUBEADM = program("kubeadm", Goos.LINUX)


@pytest.fixture
def sources(monkeypatch):
    """Record which source was asked; the release site does not answer, a build writes its name."""
    asked = []

    def download(url, target):
        del target
        asked.append("site")
        raise Unreachable(url)

    def build(wanted, output, *, cache):
        del cache
        asked.append(f"build {wanted.name}")
        output.write_text("built")

    monkeypatch.setattr(module, "download", download)
    monkeypatch.setattr(module, "build", build)
    return asked


def _finder(tmp_path: Path, *, named: Path | None = None) -> Binaries:
    return Binaries(cache=tmp_path / "cache", progress=Progress(), named=named)


def test_a_named_directory_comes_before_everything(tmp_path, sources):
    named = tmp_path / "mine"
    named.mkdir()
    (named / "kubeadm").write_text("mine")
    found = _finder(tmp_path, named=named).fetch([_KUBEADM])
    assert found == {_KUBEADM: named / "kubeadm"}
    assert sources == []


def test_a_missing_named_directory_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="no such directory"):
        _finder(tmp_path, named=tmp_path / "absent")


def test_what_is_in_the_cache_is_not_made_again(tmp_path, sources):
    first = _finder(tmp_path).fetch([_KUBEADM])
    del sources[:]
    assert _finder(tmp_path).fetch([_KUBEADM]) == first
    assert sources == []


def test_the_site_is_asked_once_and_then_everything_is_built(tmp_path, sources):
    wanted = [_KUBEADM, program("kubectl", Goos.LINUX)]
    _finder(tmp_path).fetch(wanted)
    assert sources == ["site", "build kubeadm", "build kubectl"]


def test_two_processes_begin_at_both_ends(tmp_path, sources, monkeypatch):
    """The second does not wait for what the first makes before it has nothing else to do."""
    wanted = [program(name, Goos.LINUX) for name in ("kubeadm", "kubectl", "kube-scheduler")]
    other = ExitStack()

    def build(wanted, output, *, cache):
        del cache
        sources.append(f"build {wanted.name}")
        output.write_text("built")
        if wanted.name == "kubectl":
            other.close()

    monkeypatch.setattr(module, "build", build)
    lock = tmp_path / "cache" / "locks" / f"{wanted[0].key}.lock"
    with other:
        other.enter_context(exclusive(lock, timeout_s=0))
        _finder(tmp_path).fetch(wanted)
    assert sources == ["site", "build kube-scheduler", "build kubectl", "build kubeadm"]


def test_a_program_without_a_release_is_built_without_asking(tmp_path, sources):
    _finder(tmp_path).fetch([program("flanneld", Goos.WINDOWS)])
    assert sources == ["build flanneld"]


def test_a_program_asked_for_twice_is_made_once(tmp_path, sources):
    _finder(tmp_path).fetch([_KUBEADM, _KUBEADM])
    assert sources == ["site", "build kubeadm"]


def test_a_failed_build_leaves_nothing_in_the_cache(tmp_path, sources, monkeypatch):
    def fail(wanted, output, *, cache):
        del wanted, cache
        output.write_text("half")
        raise PermanentError("no")

    monkeypatch.setattr(module, "build", fail)
    with pytest.raises(PermanentError):
        _finder(tmp_path).fetch([_KUBEADM])
    assert list((tmp_path / "cache" / "bin").iterdir()) == []
    assert sources == ["site"]


def test_a_made_program_can_be_executed(tmp_path, sources):
    path = _finder(tmp_path).fetch([_KUBEADM])[_KUBEADM]
    assert path.stat().st_mode & 0o111
    assert sources
