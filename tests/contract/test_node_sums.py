"""The sums of real files: read once as long as it is the same file, whatever its name."""

import hashlib
import io
import os
import time

import pytest

from transom.node.host import sums
from transom.node.host.sums import Sums


@pytest.fixture
def read(monkeypatch):
    """Sums a file through parts of a few bytes, and tells whether it was read for that."""
    monkeypatch.setattr(sums, "_PART_BYTES", 4)
    known = Sums()

    def sum_of(path):
        parts = []

        class Read(io.BufferedReader):
            def readinto(self, buffer, /):
                count = super().readinto(buffer)
                parts.append(count)
                return count

        return known.of(lambda: Read(io.FileIO(path))), bool(parts)

    return sum_of


def write(file, content, *, age_s=60):
    """A file that was last changed so long ago."""
    file.write_bytes(content)
    then = time.time() - age_s
    os.utime(file, (then, then))


def sha256(data):
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("content", [b"", b"four", b"more than one part"])
def test_a_file_has_the_sum_of_its_bytes(tmp_path, read, content):
    file = tmp_path / "kubelet.exe"
    write(file, content)
    assert read(file) == (sha256(content), True)


def test_the_same_file_is_read_once_also_under_its_new_name(tmp_path, read):
    part = tmp_path / "kubelet.exe.part"
    write(part, b"program")
    read(part)
    assert read(part) == (sha256(b"program"), False)
    assert read(part.rename(tmp_path / "kubelet.exe")) == (sha256(b"program"), False)


@pytest.mark.parametrize("content", [b"PROGRAM", b"another"])
def test_what_was_written_since_is_read_again(tmp_path, read, content):
    file = tmp_path / "kubelet.exe"
    write(file, b"program")
    read(file)
    write(file, content, age_s=50)
    assert read(file) == (sha256(content), True)


def test_what_was_written_just_now_is_read_each_time(tmp_path, read):
    file = tmp_path / "kubelet.exe"
    write(file, b"program", age_s=0)
    assert [read(file), read(file)] == [(sha256(b"program"), True)] * 2


def test_another_file_in_its_place_is_read(tmp_path, read):
    file, other = tmp_path / "kubelet.exe", tmp_path / "other"
    write(file, b"program")
    write(other, b"smuggle")
    read(file)
    other.replace(file)
    assert read(file) == (sha256(b"smuggle"), True)
