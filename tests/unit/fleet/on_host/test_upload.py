"""Artifacts uploaded to a host: only what it lacks, never unchecked, and taken away afterwards."""

import hashlib

import pytest
from tests.support.fleet_upload import Held, Rotten

from transom.errors import PermanentError
from transom.fleet.on_host.upload import UPLOADS, local_files
from transom.model.fleet import FromLocalFile, Source
from transom.model.lock import Lock, LockEntry, SumFrom
from transom.node.host.values import PathKind


@pytest.fixture
def join(world):
    def run(holdings):
        def pin(fleet):
            lock = world.pin(fleet)
            if holdings is not None and not holdings.content:
                holdings.content.update(Held(world.host.source.content.values()).content)
                world.host.source.content.clear()
            return lock

        return world.join(pin=pin, doors={"holdings": holdings})

    return run


def test_a_host_without_network_joins_with_what_is_uploaded_to_it(join, world):
    held = Held([])
    joined = join(held)
    assert joined.applied.ready
    assert world.host.source.asked == []
    assert world.host.disk.kind(UPLOADS) is PathKind.ABSENT
    assert "upload artifacts to the host" in world.stages


def test_a_second_join_uploads_nothing(join):
    held = Held([])
    join(held)
    held.asked.clear()
    join(held)
    assert held.asked == []


def test_a_spoilt_file_is_refused_on_the_host_too(join):
    with pytest.raises(PermanentError, match="its SHA-256 is"):
        join(Rotten([]))


FILE = b"a kubelet of our own"
SUM = hashlib.sha256(FILE).hexdigest()
SOURCE = Source(overrides={"kubelet": FromLocalFile(path="./kubelet.exe")})


def locked(url="file:./kubelet.exe", artifact="kubelet"):
    entry = LockEntry(
        id=artifact, version="1.37.1", url=url, sha256=SUM, size=1, sum_from=SumFrom.FIRST_USE
    )
    return Lock((entry,))


def test_a_file_beside_the_fleet_is_held_by_its_locked_sum(tmp_path):
    (tmp_path / "kubelet.exe").write_bytes(FILE)
    held = local_files(SOURCE, locked(), tmp_path)
    assert held is not None
    assert (held.has(SUM), held.has("b" * 64)) == (True, False)
    parcel = held.parcel(SUM)
    assert (parcel.size, b"".join(parcel.chunks())) == (len(FILE), FILE)


def test_a_file_that_changed_since_it_was_locked_is_refused(tmp_path):
    (tmp_path / "kubelet.exe").write_bytes(FILE + b"!")
    held = local_files(SOURCE, locked(), tmp_path)
    assert held is not None
    with pytest.raises(PermanentError, match="and the lock says"):
        held.parcel(SUM)


def test_only_what_an_override_names_is_taken_from_this_machine(tmp_path):
    assert local_files(Source(), locked(), tmp_path) is None
    assert local_files(SOURCE, locked("file:/etc/passwd"), tmp_path) is None
    assert local_files(SOURCE, locked(artifact="kubeadm"), tmp_path) is None
