"""What `up` refuses before it touches anything."""

import pytest

from transom.errors import UsageError
from transom_lab.controlplane import Component
from transom_lab.lab import Lab, Wish
from transom_lab.progress import Progress


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        (Wish(hosts=-1), "0 to 200"),
        (Wish(hosts=201), "0 to 200"),
        (Wish(hosts=0, components=(Component.ETCD,)), "at least etcd and apiserver"),
        (Wish(hosts=1, components=(Component.ETCD, Component.APISERVER)), "partial control plane"),
    ],
)
def test_a_wish_that_cannot_work_is_refused_at_once(tmp_path, wish, reason):
    lab = Lab(tmp_path / "lab", cache=tmp_path / "cache", progress=Progress())
    with pytest.raises(UsageError, match=reason):
        lab.up(wish)
    assert not (tmp_path / "lab").exists()


def test_asking_about_a_lab_that_is_not_there_says_how_to_start_one(tmp_path):
    lab = Lab(tmp_path / "lab", cache=tmp_path / "cache", progress=Progress())
    with pytest.raises(UsageError) as refused:
        _ = lab.record
    assert "lab up" in refused.value.hint
