"""Release files are used only when their bytes are the published ones."""

import hashlib
import io
import urllib.error
import urllib.request

import pytest

from transom.errors import PermanentError
from transom_lab.downloads import Unreachable, download

_URL = "https://releases.example/kubeadm"


@pytest.fixture
def site(monkeypatch):
    """A release site with the given files."""
    files: dict[str, bytes] = {}

    def urlopen(url, timeout):
        assert timeout > 0
        if url not in files:
            raise urllib.error.URLError("no such file")
        return io.BytesIO(files[url])

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    return files


def test_the_published_bytes_are_kept(site, tmp_path):
    site[_URL] = b"program"
    site[f"{_URL}.sha256"] = hashlib.sha256(b"program").hexdigest().encode() + b"\n"
    download(_URL, tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"program"


def test_other_bytes_are_refused_with_both_digests(site, tmp_path):
    site[_URL] = b"tampered"
    wanted = hashlib.sha256(b"program").hexdigest()
    site[f"{_URL}.sha256"] = wanted.encode()
    with pytest.raises(PermanentError, match=wanted):
        download(_URL, tmp_path / "file")


def test_a_site_that_does_not_answer_is_another_sources_turn(site, tmp_path):
    assert site == {}
    with pytest.raises(Unreachable):
        download(_URL, tmp_path / "file")


def test_an_answer_without_a_digest_is_not_trusted(site, tmp_path):
    site[_URL] = b"program"
    site[f"{_URL}.sha256"] = b"<html>sign in</html>"
    with pytest.raises(Unreachable, match="no SHA-256"):
        download(_URL, tmp_path / "file")


def test_plain_http_is_never_used(tmp_path):
    with pytest.raises(PermanentError, match="https"):
        download("http://releases.example/kubeadm", tmp_path / "file")
