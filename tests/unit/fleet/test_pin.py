"""A sum comes from whoever vouches for it, and one failure does not spoil the rest."""

import hashlib
from dataclasses import dataclass, field

import pytest
from tests.artifacts import artifact

from transom.errors import PermanentError, TemporaryError, UsageError
from transom.fleet.pin import Vouched, distinct, failure_of, moved, pin_all, vouch
from transom.model.lock import Lock, SumFrom
from transom.recipe.lock import PinnableArtifact
from transom.remote.file_sum import FileSum
from transom.remote.https import NotThere

UPSTREAM = "https://dl.example/v1.37.1"
SUMS = f"{UPSTREAM}/kubelet.exe.sha256"
BYTES = b"kubelet"
SUM = hashlib.sha256(BYTES).hexdigest()
OTHER = "b" * 64


@dataclass
class FakeFetcher:
    """A web of texts and files; what it was asked for."""

    web: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def text(self, url):
        """The text there."""
        self.asked.append(url)
        if url not in self.web:
            raise NotThere(f"{url} is not there")
        return self.web[url].decode()

    def file(self, url, destination, *, sha256=None, progress=None):
        """The file there, refused as the real door refuses it."""
        content = self.text(url).encode()
        found = FileSum(hashlib.sha256(content).hexdigest(), len(content))
        if sha256 not in (None, found.sha256):
            raise PermanentError(f"{url} has the wrong sum")
        destination.write_bytes(content)
        progress(found.size, found.size)
        return found


def kubelet(**changes):
    made = artifact(sha256=changes.pop("sha256", None), file=changes.pop("file", ""))
    return PinnableArtifact(artifact=made, **changes)


def pin_with(fetcher, pinnables, folder):
    return pin_all(
        pinnables, fetcher=lambda _: fetcher, folder=folder, progress=lambda _: lambda *_: None
    )


def test_upstreams_published_sum_is_taken_with_its_address():
    fetcher = FakeFetcher({SUMS: SUM.encode()})
    wanted = Vouched(sha256=SUM, sum_from=SumFrom.PUBLISHED, sum_url=SUMS)
    assert vouch(kubelet(checksum_url=SUMS), fetcher) == wanted


def test_a_mirrors_sum_is_the_mirrors_word():
    there = "https://mirror.corp/v1.37.1/kubelet.exe.sha256"
    fetcher = FakeFetcher({there: SUM.encode()})
    pinnable = kubelet(checksum_url=SUMS, mirrors={"https://dl.example": "https://mirror.corp"})
    wanted = Vouched(sha256=SUM, sum_from=SumFrom.MIRROR, sum_url=there)
    assert vouch(pinnable, fetcher) == wanted


def test_the_fleets_own_sum_needs_nobody_elses():
    fetcher = FakeFetcher({SUMS: OTHER.encode()})
    wanted = Vouched(sha256=SUM, sum_from=SumFrom.OVERRIDE)
    assert vouch(kubelet(sha256=SUM, checksum_url=SUMS), fetcher) == wanted
    assert fetcher.asked == []


def test_a_published_text_without_the_sum_is_refused():
    with pytest.raises(PermanentError, match=r"no sum for kubelet\.exe"):
        vouch(kubelet(checksum_url=SUMS), FakeFetcher({SUMS: b"<html>"}))


def test_one_failure_leaves_the_others_pinned_and_no_bytes_behind(tmp_path):
    fetcher = FakeFetcher({f"{UPSTREAM}/kubelet.exe": BYTES})
    kubeadm = PinnableArtifact(artifact=artifact("kubeadm"))
    result = pin_with(fetcher, [kubeadm, kubelet()], tmp_path)
    assert [(one.id, one.sha256, one.size) for one in result.entries] == [("kubelet", SUM, 7)]
    assert [key.id for key, _ in result.failures] == ["kubeadm"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("sha256", "source"), [(None, SumFrom.FIRST_USE), (SUM, SumFrom.OVERRIDE)])
def test_a_local_file_is_hashed_where_the_fleet_is(tmp_path, sha256, source):
    (tmp_path / "k.exe").write_bytes(BYTES)
    pinnable = kubelet(file="./k.exe", sha256=sha256, directory=str(tmp_path))
    fetcher = FakeFetcher()
    (entry,) = pin_with(fetcher, [pinnable], tmp_path).entries
    assert (entry.url, entry.sha256, entry.sum_from) == ("file:./k.exe", SUM, source)
    assert fetcher.asked == []


def test_a_local_file_with_another_sum_than_the_fleets_is_refused(tmp_path):
    (tmp_path / "k.exe").write_bytes(BYTES)
    pinnable = kubelet(file="k.exe", sha256=OTHER, directory=str(tmp_path))
    ((_, error),) = pin_with(FakeFetcher(), [pinnable], tmp_path).failures
    assert "as the fleet says" in error.message


def test_a_local_file_that_is_not_there_is_said(tmp_path):
    pinnable = kubelet(file="k.exe", directory=str(tmp_path))
    ((_, error),) = pin_with(FakeFetcher(), [pinnable], tmp_path).failures
    assert isinstance(error, UsageError)


@pytest.mark.parametrize(
    "changes",
    [
        {"checksum_url": "https://me:s3cr3t@dl.example/sums"},
        {"checksum_url": "https://dl.example/sums?sig=s3cr3t"},
        {"mirrors": {"https://dl.example": "https://me:s3cr3t@mirror.corp"}},
    ],
)
def test_an_address_with_a_secret_is_refused_before_it_is_asked(tmp_path, changes):
    fetcher = FakeFetcher()
    ((_, error),) = pin_with(fetcher, [kubelet(**changes)], tmp_path).failures
    assert isinstance(error, UsageError)
    assert "s3cr3t" not in f"{error.message} {error.subject} {error.hint}"
    assert fetcher.asked == []


def test_a_published_sum_that_moved_is_found(tmp_path):
    fetcher = FakeFetcher({f"{UPSTREAM}/kubelet.exe": BYTES, SUMS: SUM.encode()})
    wanted = [kubelet(checksum_url=SUMS)]
    lock = Lock(pin_with(fetcher, wanted, tmp_path).entries)
    assert moved(wanted, lock, fetcher=lambda _: fetcher) == []
    fetcher.web[SUMS] = OTHER.encode()
    assert [one.sha256 for one in moved(wanted, lock, fetcher=lambda _: fetcher)] == [OTHER]
    assert moved(wanted, lock, fetcher=None) == []


def test_a_local_file_that_changed_is_found_without_network(tmp_path):
    (tmp_path / "k.exe").write_bytes(BYTES)
    wanted = [kubelet(file="k.exe", directory=str(tmp_path))]
    lock = Lock(pin_with(FakeFetcher(), wanted, tmp_path).entries)
    (tmp_path / "k.exe").write_bytes(b"other")
    assert [one.said_by for one in moved(wanted, lock, fetcher=None)] == ["file:k.exe"]


def test_what_many_hosts_need_is_pinned_once():
    kubeadm = PinnableArtifact(artifact=artifact("kubeadm"))
    assert [one.key.id for one in distinct([kubelet(), kubeadm, kubelet()])] == [
        "kubeadm",
        "kubelet",
    ]


@pytest.mark.parametrize(
    ("errors", "kind"),
    [
        ([TemporaryError("a"), TemporaryError("b")], TemporaryError),
        ([TemporaryError("a"), UsageError("b")], UsageError),
        ([UsageError("a"), TemporaryError("x"), PermanentError("b")], PermanentError),
    ],
)
def test_many_failures_are_one_error_as_bad_as_the_worst(errors, kind):
    error = failure_of([(kubelet().key, one) for one in errors])
    assert type(error) is kind
    assert all(f"kubelet 1.37.1: {one.message}" in error.message for one in errors)


def test_a_single_failure_is_itself():
    error = TemporaryError("a")
    assert failure_of([(kubelet().key, error)]) is error
