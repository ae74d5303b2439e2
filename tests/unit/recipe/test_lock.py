"""With a lock, an artifact has the sum the lock gives it, or it is named as not locked."""

from dataclasses import replace

import pytest
from tests.artifacts import artifact

from transom.errors import UsageError
from transom.model.lock import Lock, LockEntry, LockKey, SumFrom, key_of
from transom.recipe.lock import apply_lock, has_credentials, pinned, unused

SUM = "a" * 64
OTHER = "b" * 64


def entry(thing, sha256=SUM):
    key = key_of(thing)
    return LockEntry(
        id=key.id,
        version=key.version,
        url=key.url,
        sha256=sha256,
        size=1,
        sum_from=SumFrom.FIRST_USE,
    )


KUBELET = artifact()
LOCK = Lock((entry(KUBELET),))


def test_an_artifact_gets_the_sum_of_its_entry():
    locked = apply_lock([KUBELET], LOCK)
    assert locked.artifacts == (replace(KUBELET, sha256=SUM),)
    assert (locked.missing, locked.differing) == ((), ())


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(artifact("kubeadm", url=KUBELET.url), id="another artifact"),
        pytest.param(artifact(version="1.37.2", url=KUBELET.url), id="another version"),
        pytest.param(artifact(url="https://files.corp/kubelet.exe"), id="another address"),
        pytest.param(artifact(url=KUBELET.url, file="kubelet.exe"), id="a local file"),
    ],
)
def test_an_entry_is_for_one_artifact_one_version_and_one_address(other):
    locked = apply_lock([other], LOCK)
    assert [one.sha256 for one in locked.artifacts] == [None]
    assert locked.missing == (key_of(other),)


def test_a_sum_of_the_fleet_that_is_not_the_locks_makes_the_artifact_unusable():
    locked = apply_lock([replace(KUBELET, sha256=OTHER)], LOCK)
    assert [one.sha256 for one in locked.artifacts] == [None]
    assert [(d.entry, d.sha256) for d in locked.differing] == [(LOCK.entries[0], OTHER)]


def test_an_artifact_at_a_mirror_is_found_by_its_upstream_address():
    mirrors = {"https://dl.example": "https://mirror.corp/k8s"}
    there = artifact(url="https://mirror.corp/k8s/v1.37.1/kubelet.exe")
    (locked,) = pinned([there], LOCK, mirrors=mirrors)
    assert (locked.url, locked.sha256) == (there.url, SUM)


def test_nothing_is_handed_out_for_use_while_one_artifact_is_missing():
    with pytest.raises(UsageError, match="1 of the artifacts are not in the lock: kubeadm"):
        pinned([KUBELET, artifact("kubeadm")], LOCK)


def test_nothing_is_handed_out_for_use_while_fleet_and_lock_disagree():
    with pytest.raises(UsageError, match="different sums for kubelet"):
        pinned([replace(KUBELET, sha256=OTHER)], LOCK)


def test_a_sum_that_only_the_fleet_names_is_not_locked():
    with pytest.raises(UsageError, match="not in the lock"):
        pinned([replace(KUBELET, sha256=SUM)], Lock())


def test_entries_that_nothing_needs_are_found():
    old = entry(artifact(version="1.36.0"))
    assert unused([KUBELET], LOCK.with_entries([old])) == (old,)


def test_a_local_file_is_locked_under_the_name_the_fleet_gives_it():
    assert key_of(artifact(file="./k.exe")) == LockKey("kubelet", "1.37.1", "file:./k.exe")


def test_a_newer_entry_takes_the_place_of_the_older():
    newer = entry(KUBELET, OTHER)
    assert LOCK.with_entries([newer]).entries == (newer,)
    assert LOCK.without([newer.key]).entries == ()


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("https://dl.example/kubelet.exe", False),
        ("https://dl.example/kubelet.exe?raw=true", False),
        ("https://dl.example/mail@home/kubelet.exe", False),
        ("https://me@dl.example/kubelet.exe", True),
        ("https://me:pw@dl.example/kubelet.exe", True),
        ("https://store.example/k.exe?sv=1&sig=abc", True),
        ("https://store.example/k.exe?X-Amz-Signature=abc", True),
        ("https://store.example/k.exe?TOKEN=", True),
    ],
)
def test_an_address_with_a_secret_is_recognised(url, secret):
    assert has_credentials(url) is secret
