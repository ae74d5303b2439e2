"""The Python for hosts: by its sum, from a file, a mirror or the folder of an earlier join."""

import hashlib
from pathlib import Path

import pytest

from transom.errors import PermanentError, UsageError
from transom.fleet.on_host.interpreter import (
    fetch_interpreter,
    interpreter_artifact,
    local_package,
    own_interpreter,
)
from transom.model.fleet import FromLocalFile, FromURL, Source
from transom.model.lock import Lock, LockEntry, SumFrom
from transom.recipe.pinnable import artifacts_of
from transom.remote.file_sum import FileSum
from transom.spec.fleet import read_fleets

CONTENT = b"an archive"
SUM = hashlib.sha256(CONTENT).hexdigest()
MIRROR = {"https://www.python.org": "https://mirror.example/python"}


class Fetcher:
    def __init__(self):
        self.asked = []

    def text(self, url):
        raise AssertionError(url)

    def file(self, url, destination, *, sha256=None, progress=None):
        del progress
        self.asked.append((url, sha256))
        destination.write_bytes(CONTENT)
        return FileSum(SUM, len(CONTENT))


def lock(pinnable, sha256=SUM):
    key = pinnable.key
    entry = LockEntry(
        id=key.id,
        version=key.version,
        url=key.url,
        sha256=sha256,
        size=1,
        sum_from=SumFrom.FIRST_USE,
    )
    return Lock((entry,))


def test_it_is_fetched_from_the_mirror_once_and_then_kept(tmp_path):
    pinnable = interpreter_artifact(Source(mirrors=MIRROR))
    fetcher = Fetcher()
    for _ in range(2):
        found = fetch_interpreter(
            pinnable, lock(pinnable), fetcher=lambda _: fetcher, folder=tmp_path / "cache"
        )
        assert found == CONTENT
    ((url, sha256),) = fetcher.asked
    assert url.startswith("https://mirror.example/python/ftp/")
    assert sha256 == SUM


def test_a_file_of_ones_own_must_be_what_the_lock_names(tmp_path):
    file = tmp_path / "python.zip"
    file.write_bytes(CONTENT)
    pinnable = interpreter_artifact(Source())
    assert own_interpreter(file, pinnable, lock(pinnable)) == CONTENT
    assert own_interpreter(file, pinnable, Lock()) == CONTENT
    with pytest.raises(PermanentError, match="the lock says"):
        own_interpreter(file, pinnable, lock(pinnable, "b" * 64))


def test_a_file_that_is_not_there_is_the_users_mistake(tmp_path):
    with pytest.raises(UsageError, match="cannot read"):
        own_interpreter(tmp_path / "none", interpreter_artifact(Source()), Lock())


def test_it_is_the_artifact_that_a_fleets_lock_names():
    file = Path(__file__).parents[3] / "data/fleets/k137-2022-containerd-flannel-overlay.yaml"
    locked = {item.key for item in artifacts_of(read_fleets(file.read_bytes(), name="f"))}
    found = interpreter_artifact(Source())
    assert found.key in locked
    assert "{" not in found.artifact.url


def test_a_python_of_the_sites_own_is_taken_where_the_fleet_says(tmp_path):
    there = FromURL(url="https://mirror.corp/python.zip", sha256="a" * 64)
    found = interpreter_artifact(Source(overrides={"python": there}))
    assert (found.artifact.url, found.artifact.sha256) == (there.url, there.sha256)
    assert found.checksum_url == ""
    here = Source(overrides={"python": FromLocalFile(path="./signed.zip")})
    assert interpreter_artifact(here).key.url == "file:./signed.zip"
    assert local_package(here, tmp_path) == tmp_path / "signed.zip"
    assert local_package(Source(), tmp_path) is None
