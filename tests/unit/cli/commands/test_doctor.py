"""`transom doctor --archive` and the arguments of doctor and collect."""

import errno
import json
import os

import pytest
from jsonschema_rs import Draft202012Validator
from tests.support.node import OWNER, RECIPE, SECRETS
from tests.support.node_doctor import sight, well_host
from tests.support.node_doctor_causes import UNKNOWN_FLAG, ended

from transom.cli.commands import collect as command
from transom.cli.main import main
from transom.documents.findings import FindingsDocument
from transom.documents.schema import schema_of
from transom.errors import PermanentError
from transom.fleet.collect import Collected
from transom.model.request import Request
from transom.model.sight import Given
from transom.node.doctor.collection import collect
from transom.node.doctor.observe import observe
from transom.node.layout import Layout


def request_for(verb, **changes):
    values = {"verb": verb, "recipe": RECIPE, "owner": OWNER, "join": SECRETS, **changes}
    return Request(**values)


@pytest.fixture
def archive(tmp_path):
    """Archives of a host that is well, or whose kubelet refuses a flag."""

    def write(name, *, well):
        host = well_host(request_for)
        if not well:
            ended(host, UNKNOWN_FLAG)
        seen = observe(host, Layout(), Given(cluster=sight(host)))
        path = tmp_path / name
        path.write_bytes(collect(host, Layout(), seen))
        return str(path)

    return write


def test_an_archive_of_a_host_that_is_well_ends_with_0(archive, capsys):
    assert main(["doctor", "--archive", archive("a.zip", well=True)]) == 0
    assert capsys.readouterr().out == "win-01: nothing found\n"


def test_an_archive_with_a_cause_ends_with_1_and_says_it(archive, capsys):
    assert main(["doctor", "--archive", archive("a.zip", well=False)]) == 1
    assert (
        "kubelet does not know the flag --network-plugin [flag-refused]" in capsys.readouterr().out
    )


def test_several_archives_are_one_document(archive, capsys):
    files = [archive("a.zip", well=True), archive("b.zip", well=False)]
    words = [word for file in files for word in ("--archive", file)]
    assert main(["doctor", *words, "-o", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    Draft202012Validator(schema_of(FindingsDocument)).validate(document)
    assert document["summary"]["files"] == 2
    assert [item["rule"] for item in document["findings"]] == ["flag-refused"]


def test_what_is_no_archive_is_told(tmp_path, capsys):
    path = tmp_path / "x.zip"
    path.write_text("hello")
    assert main(["doctor", "--archive", str(path)]) == 2
    assert "is no archive of `transom collect`" in capsys.readouterr().err


def test_an_archive_that_is_not_there_is_told(tmp_path, capsys):
    assert main(["doctor", "--archive", str(tmp_path / "none.zip")]) == 2
    assert "cannot read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [([], "cannot read fleet.yaml"), (["10.0.0.21", "--archive", "x.zip"], "looked at apart")],
)
def test_a_host_a_fleet_or_archives_are_looked_at(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", *words]) == 2
    assert said in capsys.readouterr().err


COLLECTED = Collected(host="win-01", name="transom-win-01-x.zip", sha256="ab", content=b"zip")


def test_an_archive_is_written_for_its_owner_alone(tmp_path):
    path = command.write(COLLECTED, tmp_path / "new")
    assert path.read_bytes() == b"zip"
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("dangling", [True, False])
def test_an_archive_is_never_written_over_a_file_nor_through_a_link(tmp_path, dangling):
    elsewhere = tmp_path / "elsewhere"
    if not dangling:
        elsewhere.write_text("mine")
    (tmp_path / COLLECTED.name).symlink_to(elsewhere)
    with pytest.raises(PermanentError, match="is already there"):
        command.write(COLLECTED, tmp_path)
    assert elsewhere.exists() is not dangling
    assert [path.name for path in tmp_path.glob("*.part")] == []


def test_a_part_that_lies_there_as_a_link_is_not_followed(tmp_path):
    (tmp_path / f"{COLLECTED.name}.part").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermanentError, match="cannot write"):
        command.write(COLLECTED, tmp_path)
    assert not (tmp_path / "elsewhere").exists()


def test_a_full_disk_leaves_no_archive_and_no_part_of_one(tmp_path, monkeypatch):
    def fsync(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(PermanentError, match="No space left on device"):
        command.write(COLLECTED, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PermanentError, match="cannot write"):
        command.write(COLLECTED, tmp_path / "file")
