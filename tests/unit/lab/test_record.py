"""The record of a lab survives the command that wrote it."""

import pytest

from transom.errors import UsageError
from transom_lab.host import HostPlan
from transom_lab.record import Record, read, write

_RECORD = Record(
    kubernetes="1.37.1",
    components=("etcd", "apiserver"),
    api_port=40000,
    hosts=(HostPlan(name="win1", address="10.77.0.11", windows="2022", local_port=40001),),
    programs={"kubectl": "/cache/kubectl"},
    complete=True,
)


def test_what_was_written_is_read(tmp_path):
    write(tmp_path / "lab.json", _RECORD)
    assert read(tmp_path / "lab.json") == _RECORD


def test_no_file_is_no_lab(tmp_path):
    assert read(tmp_path / "lab.json") is None


def test_an_unknown_host_is_refused_with_the_known_ones():
    with pytest.raises(UsageError) as refused:
        _RECORD.host("win9")
    assert "win1" in refused.value.hint
